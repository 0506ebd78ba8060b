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

#define PAIR_NBUCKETS 4096
#define PAIR_MAX      16384	 /* calls: threads that are in one */
#define PAIR_NBYTES   (32 << 20) /* of their records */

/*
 * Calls that a thread is not in at the same time have the same key: system
 * calls.  Functions of the kernel call each other, so each is its own.
 */
struct pair_key {
	uint32_t pk_tid;
	uint32_t pk_kind;
};

struct pair_call {
	struct pair_call *pa_hash;	     /* next in its bucket, or free */
	struct pair_call *pa_next, *pa_prev; /* by time */
	struct pair_key pa_key;
	uint32_t pa_size; /* of pa_rec */
	uint8_t pa_old;	  /* is in the other list */
	uint8_t pa_flags; /* the caller's */
	const void *pa_arg;
	struct dt_event pa_ev; /* the entry, in pa_rec */
	uint64_t pa_rec[];
};

struct pair_list {
	struct pair_call *pl_first, *pl_last;
};

struct pairs {
	struct pair_call *pp_buckets[PAIR_NBUCKETS];
	struct pair_list pp_young; /* the oldest first */
	struct pair_list pp_old;   /* those that pair_age() was called for */
	struct pair_call *pp_free; /* small ones, to be used again */
	unsigned int pp_n;
	size_t pp_nbytes;
};

/* All zeros is an empty table.  Memory that lacks ends the process. */
void pair_free(struct pairs *);
/* Copies an entry.  NULL: there is no room. */
struct pair_call *
pair_put(struct pairs *, struct pair_key, const struct dt_event *);
struct pair_call *pair_find(struct pairs *, struct pair_key);
void pair_drop(struct pairs *, struct pair_call *);
/* It goes on for long: moves it to the other list. */
void pair_age(struct pairs *, struct pair_call *);
/* Those of a process, or all with 0: the old ones first, each list by time.
 * NULL begins; the one that was given last may have been dropped if next was
 * asked for before that. */
struct pair_call *
pair_each(struct pairs *, uint32_t pid, const struct pair_call *);

#endif /* CLI_CALLS_CALL_TABLE_H */
