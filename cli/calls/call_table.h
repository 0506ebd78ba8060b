/* SPDX-License-Identifier: ISC */
/*
 * Pending calls: copies of their entries, found by thread.  Their number and
 * size are limited.
 */
#ifndef CLI_CALLS_CALL_TABLE_H
#define CLI_CALLS_CALL_TABLE_H

#include <sys/queue.h>

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#define CALL_TABLE_NBUCKETS 4096
#define CALL_TABLE_MAX	    16384      /* calls: threads inside a call */
#define CALL_TABLE_NBYTES   (32 << 20) /* bytes of their records */

/*
 * Calls that cannot nest in a thread share a key: a thread is in one system
 * call at a time.  Kernel functions call each other, so each has its own key.
 */
struct call_key {
	uint32_t ck_tid;
	uint32_t ck_kind;
};

struct table_call {
	LIST_ENTRY(table_call) tc_hash;	 /* in its bucket or the free list */
	TAILQ_ENTRY(table_call) tc_time; /* order by time */
	struct call_key tc_key;
	uint32_t tc_size; /* of tc_rec */
	uint8_t tc_old;	  /* in ctb_old */
	uint8_t tc_flags; /* for the caller */
	const void *tc_arg;
	struct dt_event tc_ev; /* the entry, in tc_rec */
	uint64_t tc_rec[];
};

TAILQ_HEAD(call_list, table_call);
LIST_HEAD(call_bucket, table_call);

struct call_table {
	struct call_bucket ctb_buckets[CALL_TABLE_NBUCKETS];
	struct call_list ctb_young;  /* oldest first */
	struct call_list ctb_old;    /* calls passed to call_table_age() */
	struct call_bucket ctb_free; /* small ones, for reuse */
	unsigned int ctb_n;
	size_t ctb_nbytes;
};

void call_table_init(struct call_table *);
void call_table_free(struct call_table *);
/*
 * Copies an entry.  Returns NULL if the table is full; exits if memory runs out.
 */
struct table_call *
call_table_put(struct call_table *, struct call_key, const struct dt_event *);
struct table_call *call_table_find(struct call_table *, struct call_key);
void call_table_drop(struct call_table *, struct table_call *);
/* Moves a call that has been pending for long to the other list. */
void call_table_age(struct call_table *, struct table_call *);
/*
 * Iterates over the calls of a process (0: of all), old ones first, each list
 * by time.  NULL starts; the previous result may be dropped only after the next
 * one was requested.
 */
struct table_call *
call_table_each(struct call_table *, uint32_t pid, const struct table_call *);

#endif /* CLI_CALLS_CALL_TABLE_H */
