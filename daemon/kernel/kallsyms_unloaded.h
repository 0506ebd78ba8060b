/* SPDX-License-Identifier: ISC */
/*
 * Functions that the kernel no longer has, and until when it had them: of
 * unloaded modules and BPF programs.  Under the caller's lock.
 */
#ifndef DAEMON_KERNEL_KALLSYMS_UNLOADED_H
#define DAEMON_KERNEL_KALLSYMS_UNLOADED_H

#include "daemon/kernel/kallsyms_table.h"

#define KALLSYMS_UNLOADED_MAX 16384 /* functions; the oldest are dropped */

struct kallsyms_unloaded;

struct kallsyms_unloaded *kallsyms_unloaded_alloc(void);
void kallsyms_unloaded_free(struct kallsyms_unloaded *);
/* Copies a function that existed until a time (ns, ascending). */
void kallsyms_unloaded_add(struct kallsyms_unloaded *,
    const struct kallsyms_range *, uint64_t until);
/*
 * Finds the function at an address at a time.  Returns 0 if none unloaded since
 * then matches.
 */
int kallsyms_unloaded_find(const struct kallsyms_unloaded *, uint64_t pc,
    uint64_t nsecs, struct kallsyms_range *);
size_t kallsyms_unloaded_size(const struct kallsyms_unloaded *);

#endif /* DAEMON_KERNEL_KALLSYMS_UNLOADED_H */
