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

#include <stddef.h>

#define SYSCALL_CLASS_MAX 1032 /* names */

/*
 * Stores the names of the selected calls of 64-bit programs; isall: set if these
 * are all.  Returns their number, or -1 with the reason.
 */
int syscall_class_select(const char *expr, const char *names[SYSCALL_CLASS_MAX],
    int *isall, char *why, size_t nwhy);

#endif /* CLI_TRACE_SYSCALL_CLASS_H */
