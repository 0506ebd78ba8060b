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

struct ksymtab;

/* A function: strings are the table's. */
struct ksymfunc {
	uint64_t kf_start;
	uint64_t kf_end; /* where the next begins, or its region ends */
	const char *kf_name;
	const char *kf_module; /* "[kernel]", "[dummy]", "[bpf]" */
	int kf_isbpf;	       /* loaded by bpf(2), which tells nobody */
};

/* Reads both; modules may be NULL: there are none.  ENOMEM, E2BIG, EPERM: all
 * addresses are hidden. */
int ksymtab_read(FILE *syms, FILE *modules, struct ksymtab **);
void ksymtab_free(struct ksymtab *);

/* The function at an address: 0 there is none. */
int ksymtab_find(const struct ksymtab *, uint64_t pc, struct ksymfunc *);
size_t ksymtab_size(const struct ksymtab *);

/* Calls fn for each function of a that b does not have. */
void ksymtab_diff(const struct ksymtab *a, const struct ksymtab *b,
    void (*fn)(void *, const struct ksymfunc *), void *arg);

#endif /* DAEMON_KERNEL_KALLSYMS_TABLE_H */
