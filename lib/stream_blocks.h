/* SPDX-License-Identifier: ISC */
/*
 * Parses the data socket's stream in memory: blocks, ring headers, records.
 * Does not use a socket, so tests and fuzzers can feed it any bytes.
 *
 * The owner of the buffer writes bytes at dt_blocks_space(), reports them with
 * dt_blocks_fed(), and takes records with dt_blocks_rec() until that returns
 * NULL. dt_blocks_step() then handles the next item.
 */
#ifndef LIB_STREAM_BLOCKS_H
#define LIB_STREAM_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

#define DT_BLOCKS_SIZE	 (512U << 10) /* size of the buffer */
#define DT_BLOCKS_MAXREC 65536U /* maximum of dr_length, which has 16 bits */

struct dt_blocks {
	uint8_t *bk_buf;   /* 8-aligned, DT_BLOCKS_SIZE bytes; the caller's */
	size_t bk_pos;	   /* offset of the next item */
	size_t bk_lim;	   /* end of the records that may be taken */
	size_t bk_end;	   /* end of the bytes fed */
	size_t bk_blkend;  /* end of the DATA block, if > bk_pos */
	size_t bk_skip;	   /* bytes to skip first */
	uint32_t bk_cpu;   /* CPU of the DATA block */
	uint64_t bk_since; /* time of CLOCK, 0: applies to all later records */
	char bk_note[WIRE_MAXNOTE + 1]; /* text of the NOTE block */
};

/* Result of dt_blocks_step(). */
enum dt_item {
	DT_ITEM_AGAIN, /* try dt_blocks_rec() again */
	DT_ITEM_MORE,  /* more bytes are needed */
	DT_ITEM_PASS,  /* *value: low water, ns */
	DT_ITEM_CLOCK, /* *value: int64_t, the new offset, ns */
	DT_ITEM_END,   /* *ledger */
	DT_ITEM_NOTE,  /* bk_note */
	DT_ITEM_BAD,   /* invalid; the stream is unusable from here on */
};

enum dt_item
dt_blocks_step(struct dt_blocks *, uint64_t *value, struct dt_ledger *ledger);

/*
 * Moves the remaining bytes to the front, which invalidates returned records.
 * Returns where to write; *room is the space there, never 0.
 */
void *dt_blocks_space(struct dt_blocks *, size_t *room);
void dt_blocks_fed(struct dt_blocks *, size_t nbytes);

/*
 * Returns the next complete record, of an event and with a consistent length, or
 * NULL: call dt_blocks_step().  Valid until dt_blocks_space().
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
	len = rh->rh_len; /* too long if the kernel's bits are set */
	if (len > DT_BLOCKS_MAXREC || DT_RING_SPAN(len) > room)
		return NULL;
	if (!dt_rec_isevent(rec) || rec->dr_length > len ||
	    rec->dr_length < sizeof(*rec))
		return NULL;
	bk->bk_pos += DT_RING_SPAN(len);
	return rec;
}

#endif /* LIB_STREAM_BLOCKS_H */
