/* SPDX-License-Identifier: ISC */
/*
 * Sorts the records of all CPUs by time, for DT_OPEN_ORDERED and for dt(1) when
 * it reads a recording.
 *
 * Records are copied and kept until the daemon reports that all older ones have
 * been sent (low water), then sorted and returned.  Does not use a socket or a
 * clock.  Use: call dt_order_get() until NULL; only then dt_order_add(),
 * dt_order_pass() or dt_order_flush().
 */
#ifndef LIB_ORDER_H
#define LIB_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dt/evt.h>

/*
 * Limit: 32 MB of records.  The index has 32 bytes per record, less than the
 * smallest record, so the total is below 64 MB.  At four million records of 72
 * bytes per second this is 70 ms; the daemon sends low water about every
 * millisecond.
 */
#define DT_ORDER_CHUNK	   (256U << 10)
#define DT_ORDER_MAXCHUNKS 128U

/* A record in a chunk. */
struct dt_kept {
	struct dt_chunk *kpt_chunk; /* the record's chunk */
	uint32_t kpt_cpu;
	uint32_t kpt_tag; /* the caller's value */
			  /* struct dt_rec follows */
};

#define DT_KEPT_REC(kp) ((const struct dt_rec *)((kp) + 1))

struct dt_orderent;

struct dt_order {
	struct dt_orderent *or_ents; /* or_nents; sorted up to or_ready */
	struct dt_orderent *or_tmp;  /* buffer of the same size for sorting */
	size_t or_nents;
	size_t or_size;		   /* capacity of or_ents and or_tmp */
	size_t or_next;		   /* index of the next entry to return */
	size_t or_ready;	   /* end of the entries that may be returned */
	struct dt_chunk *or_chunk; /* chunk being filled */
	struct dt_chunk *or_free;  /* list of free chunks */
	unsigned int or_nchunks; /* number of all chunks, including free ones */
	unsigned int or_nfree;
	struct dt_kept *or_out; /* record returned by the last get */
	uint64_t or_last;	/* highest time returned */
};

struct dt_order *dt_order_alloc(void);
void dt_order_free(struct dt_order *);

/* Returns the next record, valid until the next call, or NULL. */
const struct dt_kept *dt_order_get(struct dt_order *);

/*
 * Ensures space for one more record of any length.  Returns false if there is
 * none: the older half of the records may then be returned, or, without any
 * record, memory has run out.
 */
bool dt_order_room(struct dt_order *);

/*
 * Adds a record, after dt_order_room().  Returns false if the record is late,
 * that is, older than one already returned; the caller returns it at once.
 */
bool dt_order_add(struct dt_order *, const struct dt_rec *, uint32_t cpu,
    uint32_t tag);

/* Processes low water: older records may be returned. */
void dt_order_pass(struct dt_order *, uint64_t lowwater);

/* Returns whether a record up to this time may be returned, but was not yet. */
bool dt_order_has(const struct dt_order *, uint64_t time);

/* Ends the stream: all records may be returned. */
void dt_order_flush(struct dt_order *);

#endif /* LIB_ORDER_H */
