/* SPDX-License-Identifier: ISC */
/*
 * Calls that were entered and have not returned: copies of their entries,
 * found by thread.  How many there are, and their bytes, are bounded.
 */
#ifndef CLI_CALLS_CALL_TABLE_H
#define CLI_CALLS_CALL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#define CALL_TABLE_NBUCKETS 4096
#define CALL_TABLE_MAX	    16384      /* calls: threads that are in one */
#define CALL_TABLE_NBYTES   (32 << 20) /* of their records */

/*
 * Calls that a thread is not in at the same time have the same key: system
 * calls.  Functions of the kernel call each other, so each is its own.
 */
struct call_key {
	uint32_t ck_tid;
	uint32_t ck_kind;
};

struct table_call {
	struct table_call *tc_hash;	      /* next in its bucket, or free */
	struct table_call *tc_next, *tc_prev; /* by time */
	struct call_key tc_key;
	uint32_t tc_size; /* of tc_rec */
	uint8_t tc_old;	  /* is in the other list */
	uint8_t tc_flags; /* the caller's */
	const void *tc_arg;
	struct dt_event tc_ev; /* the entry, in tc_rec */
	uint64_t tc_rec[];
};

struct call_list {
	struct table_call *cls_first, *cls_last;
};

struct call_table {
	struct table_call *ctb_buckets[CALL_TABLE_NBUCKETS];
	struct call_list ctb_young; /* the oldest first */
	struct call_list
	    ctb_old; /* those that call_table_age() was called for */
	struct table_call *ctb_free; /* small ones, to be used again */
	unsigned int ctb_n;
	size_t ctb_nbytes;
};

/* All zeros is an empty table.  Memory that lacks ends the process. */
void call_table_free(struct call_table *);
/* Copies an entry.  NULL: there is no room. */
struct table_call *
call_table_put(struct call_table *, struct call_key, const struct dt_event *);
struct table_call *call_table_find(struct call_table *, struct call_key);
void call_table_drop(struct call_table *, struct table_call *);
/* It goes on for long: moves it to the other list. */
void call_table_age(struct call_table *, struct table_call *);
/* Those of a process, or all with 0: the old ones first, each list by time.
 * NULL begins; the one that was given last may have been dropped if next was
 * asked for before that. */
struct table_call *
call_table_each(struct call_table *, uint32_t pid, const struct table_call *);

#endif /* CLI_CALLS_CALL_TABLE_H */
