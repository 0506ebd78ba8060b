/* SPDX-License-Identifier: ISC */
/*
 * Functions that the kernel does not have any more, and until when it had
 * them: of modules and BPF programs that were unloaded.  The caller's lock.
 */
#ifndef DAEMON_KERNEL_KALLSYMS_GONE_H
#define DAEMON_KERNEL_KALLSYMS_GONE_H

#include "daemon/kernel/kallsyms_table.h"

#define KGONE_MAX 16384 /* functions; the oldest go first */

struct kgone;

struct kgone *kgone_alloc(void);
void kgone_free(struct kgone *);
/* Keeps a copy of a function that was there until a time (ns, ascending). */
void kgone_add(struct kgone *, const struct ksymfunc *, uint64_t until);
/* What was at an address at a time: 0 nothing that has gone since. */
int kgone_find(const struct kgone *, uint64_t pc, uint64_t nsecs,
    struct ksymfunc *);
size_t kgone_size(const struct kgone *);

#endif /* DAEMON_KERNEL_KALLSYMS_GONE_H */
