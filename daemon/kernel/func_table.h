/* SPDX-License-Identifier: ISC */
/*
 * The table of known kernel functions, for daemon/kernel/func.c: entries that
 * never move, and an order by name.
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
	uint64_t fen_addr;	       /* 0: unloaded */
	uint32_t fen_name, fen_module; /* offsets into ftb_names */
	uint32_t fen_nth;	       /* among functions of its name, from 1 */
	const char *fen_denied;
};

/* The table, by ftb_lock. */
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
 * Updates the addresses of known functions and adds new ones; on an errno
 * nothing is added.  Then marks those that the kernel does not permit to
 * probe.  Under the lock.
 */
int func_table_merge(const struct func_list *, const struct deny_ranges *);
/*
 * Returns the index in ftb_sorted of the first name that is not less than the
 * len bytes of prefix.
 */
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
