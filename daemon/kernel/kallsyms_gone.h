/* SPDX-License-Identifier: ISC */
/*
 * Functions that the kernel does not have any more, and until when it had
 * them: of modules and BPF programs that were unloaded.  The caller's lock.
 */
#ifndef DAEMON_KERNEL_KALLSYMS_GONE_H
#define DAEMON_KERNEL_KALLSYMS_GONE_H

#include "daemon/kernel/kallsyms_table.h"

#define KALLSYMS_GONE_MAX 16384 /* functions; the oldest go first */

struct kallsyms_gone;

struct kallsyms_gone *kallsyms_gone_alloc(void);
void kallsyms_gone_free(struct kallsyms_gone *);
/* Keeps a copy of a function that was there until a time (ns, ascending). */
void kallsyms_gone_add(struct kallsyms_gone *, const struct kallsyms_range *,
    uint64_t until);
/* What was at an address at a time: 0 nothing that has gone since. */
int kallsyms_gone_find(const struct kallsyms_gone *, uint64_t pc,
    uint64_t nsecs, struct kallsyms_range *);
size_t kallsyms_gone_size(const struct kallsyms_gone *);

#endif /* DAEMON_KERNEL_KALLSYMS_GONE_H */
