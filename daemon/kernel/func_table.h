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

struct klist;
struct kranges;

/* An entry of the table. */
struct kentry {
	uint64_t ke_addr;	     /* 0: it has gone */
	uint32_t ke_name, ke_module; /* offsets into kt_names */
	uint32_t ke_nth;	     /* of its name, from 1 */
	const char *ke_denied;
};

/* All by its lock. */
struct ktable {
	pthread_rwlock_t kt_lock;
	struct kentry *kt_entries;
	size_t kt_n, kt_max;
	uint32_t *kt_sorted; /* indices, by name, module and address */
	char *kt_names;
	size_t kt_nnames, kt_maxnames;
};

extern struct ktable ktable;

/*
 * What is known gets its address, the rest is added; an errno: nothing is.
 * Then those are marked that the kernel does not let probe.  Under the lock.
 */
int ktable_merge(const struct klist *, const struct kranges *);
/* The place in kt_sorted of the first whose name does not come before the len
 * bytes of prefix. */
size_t ktable_from(const char *prefix, size_t len);

static inline const struct kentry *
ktable_nth(size_t place)
{
	return &ktable.kt_entries[ktable.kt_sorted[place]];
}

static inline const char *
ktable_name(const struct kentry *ke)
{
	return ktable.kt_names + ke->ke_name;
}

static inline const char *
ktable_module(const struct kentry *ke)
{
	return ktable.kt_names + ke->ke_module;
}

#endif /* DAEMON_KERNEL_FUNC_TABLE_H */
