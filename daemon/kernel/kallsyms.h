/* SPDX-License-Identifier: ISC */
/*
 * Names of the kernel's functions, modules and BPF programs, by address and
 * time, from /proc/kallsyms.  Any thread.
 */
#ifndef DAEMON_KERNEL_KALLSYMS_H
#define DAEMON_KERNEL_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct ksym {
	char ksy_name[256]; /* "": there is none */
	char ksy_module[64];
	uint64_t ksy_offset; /* of the address in the function */
};

/* The kernel had the same functions from until, as far as was noticed. */
struct ksym_span {
	uint64_t kss_from;
	uint64_t kss_until;
	uint64_t kss_gen; /* differs when they do */
};

struct kallsyms_stat {
	uint64_t kas_nsyms; /* in memory */
	uint64_t kas_nreads;
	uint64_t kas_ngone; /* of what was unloaded */
};

/*
 * While somebody holds them, names are kept in memory (some 4 MB), and those
 * of modules and BPF programs that go meanwhile keep their time.  Neither
 * waits; the table is read when it is needed, or by kallsyms_read().
 */
void kallsyms_hold(void);
void kallsyms_release(void);

/*
 * Looks npcs addresses up as they were at a time (CLOCK_MONOTONIC, ns; 0: now).
 * Waits for the kernel when the table has to be read (tens of ms), so it is
 * for workers.  Returns errno: EPERM when the kernel hides its addresses.
 */
int kallsyms_lookup(const uint64_t *pcs, size_t npcs, uint64_t nsecs,
    struct ksym *out, struct ksym_span *);
/* Why kallsyms_lookup() failed with this errno, and what to do. */
void kallsyms_why(int error, char *text, size_t size);
/* Reads the table, if somebody holds it and it is not here.  Worker. */
void kallsyms_read(void);
/* A module came or went. */
void kallsyms_changed(void);
void kallsyms_stat(struct kallsyms_stat *);

/* Where a function of the kernel begins, and the one behind it. */
struct kallsyms_func {
	const char *kaf_name;
	uint64_t kaf_begin; /* 0: there is none of this name */
	uint64_t kaf_end;
};

/* Finds n functions by name, in one pass that keeps nothing.  Worker. */
int kallsyms_find(struct kallsyms_func *, size_t n);

#endif /* DAEMON_KERNEL_KALLSYMS_H */
