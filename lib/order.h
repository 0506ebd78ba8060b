/* SPDX-License-Identifier: ISC */
/*
 * The records of all CPUs by time: of DT_OPEN_ORDERED, and of dt(1) when it
 * reads a recording.
 *
 * Records are copied and kept until the daemon says that all older ones have
 * been sent (low water), then sorted and handed out.  Knows no socket and no
 * clock.  Use: dt_order_get() until NULL; only then dt_order_add(),
 * dt_order_pass() or dt_order_flush().
 */
#ifndef LIB_ORDER_H
#define LIB_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dt/evt.h>

/*
 * The bound: 32 MB of records.  The index has 32 bytes a record, which is
 * less than the smallest record takes, so all together is below 64 MB.  At
 * four million records of 72 bytes a second these are 70 ms; the daemon says
 * low water every millisecond or so.
 */
#define DT_ORDER_CHUNK	   (256U << 10)
#define DT_ORDER_MAXCHUNKS 128U

/* A record in a chunk. */
struct dt_kept {
	struct dt_chunk *kp_chunk; /* where it stands */
	uint32_t kp_cpu;
	uint32_t kp_tag; /* the caller's */
			 /* struct dt_rec */
};

#define DT_KEPT_REC(kp) ((const struct dt_rec *)((kp) + 1))

struct dt_orderent;

struct dt_order {
	struct dt_orderent *or_ents; /* or_nents, sorted up to or_ready */
	struct dt_orderent *or_tmp;  /* for sorting, as long */
	size_t or_nents;
	size_t or_size;		   /* room in or_ents and or_tmp */
	size_t or_next;		   /* the next to hand out */
	size_t or_ready;	   /* up to here they may be */
	struct dt_chunk *or_chunk; /* being filled */
	struct dt_chunk *or_free;  /* empty ones */
	unsigned int or_nchunks;   /* all, the free ones included */
	unsigned int or_nfree;
	struct dt_kept *or_out; /* handed out by the last get */
	uint64_t or_last;	/* youngest time handed out */
};

struct dt_order *dt_order_alloc(void);
void dt_order_free(struct dt_order *);

/* The next record that may be handed out; it lives until the next get. */
const struct dt_kept *dt_order_get(struct dt_order *);

/*
 * Makes room for one more record, of any length.  false: there is none, and
 * the older half of what is kept may be handed out now.  With nothing kept:
 * out of memory.
 */
bool dt_order_room(struct dt_order *);

/*
 * Keeps a record, after dt_order_room().  false: it is late, older than one
 * that was handed out, and the caller hands it out at once.
 */
bool dt_order_add(struct dt_order *, const struct dt_rec *, uint32_t cpu,
    uint32_t tag);

/* Low water has come: what is older may be handed out. */
void dt_order_pass(struct dt_order *, uint64_t lowwater);

/* Nothing will come any more: all may be handed out. */
void dt_order_flush(struct dt_order *);

#endif /* LIB_ORDER_H */
