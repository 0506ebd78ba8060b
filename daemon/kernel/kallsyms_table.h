/* SPDX-License-Identifier: ISC */
/*
 * A table of the kernel's functions at one time, parsed from /proc/kallsyms and
 * /proc/modules.  Takes no lock.
 */
#ifndef DAEMON_KERNEL_KALLSYMS_TABLE_H
#define DAEMON_KERNEL_KALLSYMS_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct kallsyms_table;

/* A function: strings belong to the table. */
struct kallsyms_range {
	uint64_t kra_start;
	uint64_t kra_end; /* start of the next one, or end of its region */
	const char *kra_name;
	const char *kra_module; /* "[kernel]", "[dummy]", "[bpf]" */
	int kra_isbpf;		/* loaded by bpf(2), which is not reported */
};

/*
 * Parses both; modules may be NULL: none.  ENOMEM, E2BIG, EPERM: all addresses
 * are hidden.
 */
int kallsyms_table_read(FILE *syms, FILE *modules, struct kallsyms_table **);
void kallsyms_table_free(struct kallsyms_table *);

/* Finds the function at an address.  Returns 0 if there is none. */
int kallsyms_table_find(const struct kallsyms_table *, uint64_t pc,
    struct kallsyms_range *);
/*
 * Calls fn for the functions that begin at an address or after it, ascending,
 * one per address, until fn returns 0.
 */
void kallsyms_table_each(const struct kallsyms_table *, uint64_t from,
    int (*fn)(void *, const struct kallsyms_range *), void *arg);
size_t kallsyms_table_size(const struct kallsyms_table *);

/* Calls fn for each function of a that is missing in b. */
void kallsyms_table_diff(const struct kallsyms_table *a,
    const struct kallsyms_table *b,
    void (*fn)(void *, const struct kallsyms_range *), void *arg);

#endif /* DAEMON_KERNEL_KALLSYMS_TABLE_H */
