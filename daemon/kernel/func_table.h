/* SPDX-License-Identifier: ISC */
/*
 * What is known of the kernel's functions, for daemon/kernel/func.c: entries
 * that stay where they are, and an order by name.
 */
#ifndef DAEMON_KERNEL_FUNC_TABLE_H
#define DAEMON_KERNEL_FUNC_TABLE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct func_list;
struct deny_ranges;

/* An entry of the table. */
struct func_entry {
	uint64_t fen_addr;	       /* 0: it has gone */
	uint32_t fen_name, fen_module; /* offsets into ftb_names */
	uint32_t fen_nth;	       /* of its name, from 1 */
	const char *fen_denied;
};

/* All by its lock. */
struct func_table {
	pthread_rwlock_t ftb_lock;
	struct func_entry *ftb_entries;
	size_t ftb_n, ftb_max;
	uint32_t *ftb_sorted; /* indices, by name, module and address */
	char *ftb_names;
	size_t ftb_nnames, ftb_maxnames;
};

extern struct func_table ktable;

/*
 * What is known gets its address, the rest is added; an errno: nothing is.
 * Then those are marked that the kernel does not let probe.  Under the lock.
 */
int func_table_merge(const struct func_list *, const struct deny_ranges *);
/* The place in ftb_sorted of the first whose name does not come before the len
 * bytes of prefix. */
size_t func_table_from(const char *prefix, size_t len);

static inline const struct func_entry *
func_table_nth(size_t place)
{
	return &ktable.ftb_entries[ktable.ftb_sorted[place]];
}

static inline const char *
func_table_name(const struct func_entry *ke)
{
	return ktable.ftb_names + ke->fen_name;
}

static inline const char *
func_table_module(const struct func_entry *ke)
{
	return ktable.ftb_names + ke->fen_module;
}

#endif /* DAEMON_KERNEL_FUNC_TABLE_H */
