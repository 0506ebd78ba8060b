/* SPDX-License-Identifier: ISC */
/*
 * Functions that the kernel no longer has, and until when it had them: of
 * unloaded modules and BPF programs.  Under the caller's lock.
 */
#ifndef DAEMON_KERNEL_KALLSYMS_GONE_H
#define DAEMON_KERNEL_KALLSYMS_GONE_H

#include "daemon/kernel/kallsyms_table.h"

#define KALLSYMS_GONE_MAX 16384 /* functions; the oldest are dropped */

struct kallsyms_gone;

struct kallsyms_gone *kallsyms_gone_alloc(void);
void kallsyms_gone_free(struct kallsyms_gone *);
/* Copies a function that existed until a time (ns, ascending). */
void kallsyms_gone_add(struct kallsyms_gone *, const struct kallsyms_range *,
    uint64_t until);
/*
 * Finds the function at an address at a time.  Returns 0 if none unloaded since
 * then matches.
 */
int kallsyms_gone_find(const struct kallsyms_gone *, uint64_t pc,
    uint64_t nsecs, struct kallsyms_range *);
size_t kallsyms_gone_size(const struct kallsyms_gone *);

#endif /* DAEMON_KERNEL_KALLSYMS_GONE_H */
