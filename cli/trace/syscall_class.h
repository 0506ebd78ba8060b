/* SPDX-License-Identifier: ISC */
/*
 * The expressions of dt trace -e, as in strace(1).  They select system calls.
 *
 *	[trace=][!]ITEM,ITEM
 *
 * An item is the name of a call, ?NAME for one that may not exist, %CLASS or the
 * name of an old class, /REGEX/, all or none.
 */
#ifndef CLI_TRACE_SYSCALL_CLASS_H
#define CLI_TRACE_SYSCALL_CLASS_H

#include "cli/opts/opts.h"

#define SYSCALL_CLASS_ALL "syscall:*"

/* Returns NULL, or what is wrong with an expression. */
const char *syscall_class_check(const char *expr);

/*
 * Sets o_args and o_nargs to the probes of the selected calls of 64-bit
 * programs, or to SYSCALL_CLASS_ALL; they stay until the process exits.  expr
 * is correct; NULL: all.
 */
void syscall_class_probes(struct opts *, const char *expr);

#endif /* CLI_TRACE_SYSCALL_CLASS_H */
