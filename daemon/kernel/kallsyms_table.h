/* SPDX-License-Identifier: ISC */
/*
 * A table of the kernel's functions as they were at a time, out of the texts
 * of /proc/kallsyms and /proc/modules.  Does not wait and takes no lock.
 */
#ifndef DAEMON_KERNEL_KALLSYMS_TABLE_H
#define DAEMON_KERNEL_KALLSYMS_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct kallsyms_table;

/* A function: strings are the table's. */
struct kallsyms_range {
	uint64_t kra_start;
	uint64_t kra_end; /* where the next begins, or its region ends */
	const char *kra_name;
	const char *kra_module; /* "[kernel]", "[dummy]", "[bpf]" */
	int kra_isbpf;		/* loaded by bpf(2), which tells nobody */
};

/* Reads both; modules may be NULL: there are none.  ENOMEM, E2BIG, EPERM: all
 * addresses are hidden. */
int kallsyms_table_read(FILE *syms, FILE *modules, struct kallsyms_table **);
void kallsyms_table_free(struct kallsyms_table *);

/* The function at an address: 0 there is none. */
int kallsyms_table_find(const struct kallsyms_table *, uint64_t pc,
    struct kallsyms_range *);
size_t kallsyms_table_size(const struct kallsyms_table *);

/* Calls fn for each function of a that b does not have. */
void kallsyms_table_diff(const struct kallsyms_table *a,
    const struct kallsyms_table *b,
    void (*fn)(void *, const struct kallsyms_range *), void *arg);

#endif /* DAEMON_KERNEL_KALLSYMS_TABLE_H */
