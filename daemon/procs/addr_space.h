/* SPDX-License-Identifier: ISC */
/*
 * The executable mappings of one address space, now and before: each has the
 * time it appeared, past ones also the time they ended. The kernel does not
 * report munmap(): a mapping stays until another replaces it.
 *
 * Processes share an address space after a fork; a process that maps something
 * then gets its own copy. Call all functions under the lock of proc_table.h.
 */
#ifndef DAEMON_PROCS_ADDR_SPACE_H
#define DAEMON_PROCS_ADDR_SPACE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "daemon/procs/mapped_file.h"
#include "daemon/procs/mappings.h"

#define ADDR_SPACE_MAPS \
	65536 /* mappings at a time, vm.max_map_count's default */
#define ADDR_SPACE_GONE 4096 /* past mappings remembered */

struct past_mapping {
	struct mapping gm_mapping;
	uint64_t gm_until; /* time it ended */
};

struct addr_space {
	unsigned int as_refs;
	int as_iswhole; /* known from its exec on, or by a snapshot */
	/* the original, if that was unknown when the copy was made */
	struct addr_space *as_base;
	unsigned int as_depth; /* number of bases from which it was copied */
	uint64_t as_asof;
	uint64_t as_snapped;  /* when its exec or its last snapshot began */
	uint64_t as_snapcost; /* how long that snapshot took, ns */
	uint64_t as_serial;
	uint64_t as_forgot; /* time before which past mappings are incomplete */
	struct mappings as_mappings;
	struct past_mapping *as_past; /* past mappings: circular, by time */
	size_t as_pasthead, as_npast, as_pastmax;
	size_t as_charged; /* bytes, as counted in addr_space_sum */
};

struct addr_space_stat {
	uint64_t ast_spaces, ast_mappings, ast_bytes, ast_dropped;
};
extern struct addr_space_stat addr_space_sum;

struct addr_space *addr_space_alloc(void);
struct addr_space *addr_space_share(struct addr_space *);
void addr_space_free(struct addr_space *); /* one reference; NULL is fine */
/* Returns a new address space with the contents of this one at a time. */
struct addr_space *addr_space_copy(struct addr_space *, uint64_t asof);
/*
 * Adds a mapping and ends earlier ones in its range.  Takes over one count of
 * mapped_file_map().  Beyond the limit it is dropped and counted.
 */
void addr_space_map(struct addr_space *, const struct mapping *);
/*
 * Replaces the mappings by a snapshot taken at nsecs, sorted: older mappings
 * missing from it have ended; new ones appeared at from. Takes over the files'
 * counts.
 */
void addr_space_snapshot(struct addr_space *, const struct mapping *, size_t n,
    uint64_t nsecs, uint64_t from);
/*
 * Copies what was unknown when the address space became a copy, if known now.
 */
void addr_space_settle(struct addr_space *);
/*
 * Calls fn for what was mapped at a time, and narrows [*from, *until) to when
 * it was mg.
 */
void addr_space_walk(const struct addr_space *, uint64_t nsecs,
    void (*fn)(const struct mapping *, void *), void *arg, uint64_t *from,
    uint64_t *until);
/* Removes past mappings. */
void addr_space_trim(struct addr_space *);
/* Removes all mappings, past ones first; 0: there are none. */
int addr_space_drop(struct addr_space *);

#endif /* DAEMON_PROCS_ADDR_SPACE_H */
