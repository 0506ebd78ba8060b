/* SPDX-License-Identifier: ISC */
/*
 * The stream of the data socket, taken apart in memory: blocks, ring headers,
 * records.  Knows no socket, so tests and fuzzers feed it what they like.
 *
 * The owner of the buffer writes bytes at dt_blocks_space(), tells
 * dt_blocks_fed(), and takes records by dt_blocks_rec() until that gives
 * NULL; then dt_blocks_step() says what stands in the way.
 */
#ifndef LIB_STREAM_BLOCKS_H
#define LIB_STREAM_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

#define DT_BLOCKS_SIZE	 (512U << 10) /* bytes of the buffer */
#define DT_BLOCKS_MAXREC 65536U	      /* dr_length has 16 bits */

struct dt_blocks {
	uint8_t *bk_buf;		/* 8-aligned, DT_BLOCKS_SIZE bytes */
	size_t bk_pos;			/* what comes next */
	size_t bk_lim;			/* records may be taken up to here */
	size_t bk_end;			/* of what has been fed */
	size_t bk_blkend;		/* of the DATA block, if > bk_pos */
	size_t bk_skip;			/* bytes to skip first */
	uint32_t bk_cpu;		/* of the DATA block */
	uint64_t bk_since;		/* of CLOCK, 0: all that follows */
	char bk_note[WIRE_MAXNOTE + 1]; /* of the NOTE block */
};

/* What dt_blocks_step() found. */
enum dt_item {
	DT_ITEM_AGAIN, /* nothing of interest; there may be records */
	DT_ITEM_MORE,  /* bytes are missing */
	DT_ITEM_PASS,  /* *value: low water, ns */
	DT_ITEM_CLOCK, /* *value: int64_t, the new offset, ns */
	DT_ITEM_END,   /* *ledger */
	DT_ITEM_NOTE,  /* bk_note */
	DT_ITEM_BAD,   /* makes no sense, and never will again */
};

enum dt_item
dt_blocks_step(struct dt_blocks *, uint64_t *value, struct dt_ledger *ledger);

/* Moves what is left to the front: records that were given are gone.
 * Returns where to write, and the room there, which is never 0. */
void *dt_blocks_space(struct dt_blocks *, size_t *room);
void dt_blocks_fed(struct dt_blocks *, size_t nbytes);

/*
 * The next record, complete, of kind DT_REC_EVENT and as long as it says; or
 * NULL: see dt_blocks_step().  Valid until dt_blocks_space().
 */
static inline const struct dt_rec *
dt_blocks_rec(struct dt_blocks *bk)
{
	size_t room = bk->bk_lim - bk->bk_pos;
	const struct dt_ringhdr *rh;
	const struct dt_rec *rec;
	uint32_t len;

	if (room < sizeof(*rh) + sizeof(*rec))
		return NULL;
	rh = (const struct dt_ringhdr *)(bk->bk_buf + bk->bk_pos);
	rec = (const struct dt_rec *)(rh + 1);
	len = rh->rh_len; /* with the kernel's bits it is too long */
	if (len > DT_BLOCKS_MAXREC || DT_RING_SPAN(len) > room)
		return NULL;
	if (rec->dr_kind != DT_REC_EVENT || rec->dr_length > len ||
	    rec->dr_length < sizeof(*rec))
		return NULL;
	bk->bk_pos += DT_RING_SPAN(len);
	return rec;
}

#endif /* LIB_STREAM_BLOCKS_H */
