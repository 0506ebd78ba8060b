/* SPDX-License-Identifier: ISC */
/*
 * Resolves kernel addresses to functions, modules and BPF programs at a given
 * time, from /proc/kallsyms.  Any thread.
 */
#ifndef DAEMON_KERNEL_KALLSYMS_H
#define DAEMON_KERNEL_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct kallsyms_range;
struct reason;

struct ksym {
	char ksy_name[256]; /* "": no symbol */
	char ksy_module[64];
	uint64_t ksy_offset; /* offset in the function */
};

/* A period in which no change of the functions was noticed. */
struct ksym_span {
	uint64_t kss_from;
	uint64_t kss_until;
	uint64_t kss_gen; /* generation of these functions */
};

struct kallsyms_stat {
	uint64_t kas_nsyms; /* symbols in memory */
	uint64_t kas_nreads;
	uint64_t kas_ngone; /* unloaded symbols remembered */
};

/*
 * Hold and release the symbols, which are kept in memory (some 4 MB) while
 * held; modules and BPF programs unloaded meanwhile keep their time.  Neither
 * function blocks; the table is read on demand, or by kallsyms_read().
 */
void kallsyms_hold(void);
void kallsyms_release(void);

/*
 * Resolves npcs addresses as of a time (CLOCK_MONOTONIC, ns; 0: now).  Blocks
 * if the table has to be read (tens of ms), so it is for workers.  Returns
 * errno: EPERM if the kernel hides its addresses.
 */
int kallsyms_lookup(const uint64_t *pcs, size_t npcs, uint64_t nsecs,
    struct ksym *out, struct ksym_span *);
/*
 * The same for this moment, without reading the table if it is not in memory:
 * for a client that has no further addresses.
 */
int kallsyms_now(const uint64_t *pcs, size_t npcs, struct ksym *out,
    struct ksym_span *);
/*
 * As kallsyms_table_each(), for the functions that the kernel has now, with the
 * same errors.  fn does not call this module.
 */
int kallsyms_each(uint64_t from,
    int (*fn)(void *, const struct kallsyms_range *), void *arg);
/* Why these two failed with this errno, and what to do. */
void kallsyms_why(int error, struct reason *);
/* Reads the table if it is held and not in memory.  Worker. */
void kallsyms_read(void);
/* A module was loaded or unloaded. */
void kallsyms_changed(void);
void kallsyms_stat(struct kallsyms_stat *);

/* Start of a symbol of the kernel, and of the next one. */
struct kallsyms_func {
	const char *kaf_name;
	uint64_t kaf_begin; /* 0: no such name */
	uint64_t kaf_end;
};

/*
 * Finds n symbols by name, in one pass without a table.  EPERM if the kernel
 * hides its addresses.  Worker.
 */
int kallsyms_find(struct kallsyms_func *, size_t n);

#endif /* DAEMON_KERNEL_KALLSYMS_H */
