/* SPDX-License-Identifier: ISC */
/*
 * Parses the data socket's stream between two records: block headers, blocks
 * other than DATA, and records to skip.  Only the next record must be in the
 * buffer completely, not its block.
 *
 * Every item in the stream is a multiple of 8 bytes long, which keeps records
 * aligned; other lengths are refused.
 */
#include <string.h>

#include "lib/stream_blocks.h"

_Static_assert(DT_BLOCKS_SIZE > 2 * DT_BLOCKS_MAXREC, "room for a record");
_Static_assert(sizeof(struct wire_block) % 8 == 0, "alignment of records");
_Static_assert(sizeof(struct dt_ledger) % 8 == 0, "alignment of records");

void *
dt_blocks_space(struct dt_blocks *bk, size_t *room)
{
	size_t pos = bk->bk_pos;

	if (pos != 0) {
		memmove(bk->bk_buf, bk->bk_buf + pos, bk->bk_end - pos);
		bk->bk_end -= pos;
		bk->bk_lim -= pos;
		bk->bk_blkend = bk->bk_blkend > pos ? bk->bk_blkend - pos : 0;
		bk->bk_pos = 0;
	}
	*room = DT_BLOCKS_SIZE - bk->bk_end;
	return bk->bk_buf + bk->bk_end;
}

/* Sets the limit for records: the end of the block or of the buffered bytes. */
static void
blocks_limit(struct dt_blocks *bk)
{
	bk->bk_lim = bk->bk_blkend < bk->bk_end ? bk->bk_blkend : bk->bk_end;
	if (bk->bk_lim < bk->bk_pos)
		bk->bk_lim = bk->bk_pos;
}

void
dt_blocks_fed(struct dt_blocks *bk, size_t nbytes)
{
	bk->bk_end += nbytes;
	blocks_limit(bk);
}

/* Within a DATA block: handles what dt_blocks_rec() did not accept. */
static enum dt_item
blocks_record(struct dt_blocks *bk)
{
	size_t inblock = bk->bk_blkend - bk->bk_pos;
	size_t here = bk->bk_lim - bk->bk_pos;
	const struct dt_ringhdr *rh;
	const struct dt_rec *rec;
	uint32_t len;

	rh = (const struct dt_ringhdr *)(bk->bk_buf + bk->bk_pos);
	rec = (const struct dt_rec *)(rh + 1);
	if (here < sizeof(*rh))
		return DT_ITEM_MORE; /* blocks are multiples of 8 */
	len = DT_RING_LEN(rh->rh_len);
	if (len > DT_BLOCKS_MAXREC || DT_RING_SPAN(len) > inblock ||
	    (rh->rh_len & DT_RING_BUSY))
		return DT_ITEM_BAD;
	if (DT_RING_SPAN(len) > here)
		return DT_ITEM_MORE;
	if ((rh->rh_len & DT_RING_DISCARD) == 0 &&
	    (len < sizeof(*rec) || dt_rec_isevent(rec)))
		return DT_ITEM_BAD; /* an event with contradictory lengths */
	bk->bk_pos += DT_RING_SPAN(len);
	return DT_ITEM_AGAIN;
}

/* Handles a complete block that is not DATA.  body follows its header. */
static enum dt_item
blocks_other(struct dt_blocks *bk, const struct wire_block *wb,
    const uint8_t *body, uint64_t *value, struct dt_ledger *ledger)
{
	switch (wb->wb_kind) {
	case WIRE_BLOCK_PASS:
		*value = wb->wb_lowwater;
		return DT_ITEM_PASS;
	case WIRE_BLOCK_CLOCK:
		memcpy(value, body, sizeof(*value));
		return DT_ITEM_CLOCK;
	case WIRE_BLOCK_NOTE:
		memset(bk->bk_note, 0, sizeof(bk->bk_note));
		memcpy(bk->bk_note, body, wb->wb_nbytes);
		return DT_ITEM_NOTE;
	default:
		memcpy(ledger, body, sizeof(*ledger));
		return DT_ITEM_END;
	}
}

/* Returns whether a block's length is valid for its kind. */
static int
blocks_length_ok(const struct wire_block *wb)
{
	if (wb->wb_nbytes % 8 != 0 || wb->wb_nbytes > WIRE_MAXBLOCK)
		return 0;
	switch (wb->wb_kind) {
	case WIRE_BLOCK_PASS:
		return wb->wb_nbytes == 0;
	case WIRE_BLOCK_CLOCK:
		return wb->wb_nbytes == sizeof(int64_t);
	case WIRE_BLOCK_END:
		return wb->wb_nbytes == sizeof(struct dt_ledger);
	case WIRE_BLOCK_NOTE:
		return wb->wb_nbytes <= WIRE_MAXNOTE;
	default:
		return 1;
	}
}

/* Between two blocks: handles the next header. */
static enum dt_item
blocks_header(struct dt_blocks *bk, uint64_t *value, struct dt_ledger *ledger)
{
	size_t here = bk->bk_end - bk->bk_pos;
	const uint8_t *body = bk->bk_buf + bk->bk_pos +
	    sizeof(struct wire_block);
	struct wire_block wb;
	enum dt_item item;

	if (here < sizeof(wb))
		return DT_ITEM_MORE;
	memcpy(&wb, bk->bk_buf + bk->bk_pos, sizeof(wb));
	if (!blocks_length_ok(&wb))
		return DT_ITEM_BAD;
	switch (wb.wb_kind) {
	case WIRE_BLOCK_DATA:
		bk->bk_pos += sizeof(wb);
		bk->bk_blkend = bk->bk_pos + wb.wb_nbytes;
		bk->bk_cpu = wb.wb_cpu;
		item = DT_ITEM_AGAIN;
		break;
	case WIRE_BLOCK_PASS:
	case WIRE_BLOCK_CLOCK:
	case WIRE_BLOCK_END:
	case WIRE_BLOCK_NOTE:
		if (here < sizeof(wb) + wb.wb_nbytes)
			return DT_ITEM_MORE;
		bk->bk_since = wb.wb_lowwater;
		item = blocks_other(bk, &wb, body, value, ledger);
		bk->bk_pos += sizeof(wb) + wb.wb_nbytes;
		break;
	default:
		bk->bk_pos += sizeof(wb);
		bk->bk_skip = wb.wb_nbytes;
		item = DT_ITEM_AGAIN;
	}
	blocks_limit(bk);
	return item;
}

/* Skips a block of a kind unknown to this library. */
static enum dt_item
blocks_skip(struct dt_blocks *bk)
{
	/* in units of 8, so that the following records stay aligned */
	size_t here = (bk->bk_end - bk->bk_pos) & ~(size_t)7;

	if (here > bk->bk_skip)
		here = bk->bk_skip;
	bk->bk_pos += here;
	bk->bk_skip -= here;
	blocks_limit(bk);
	return bk->bk_skip == 0 ? DT_ITEM_AGAIN : DT_ITEM_MORE;
}

enum dt_item
dt_blocks_step(struct dt_blocks *bk, uint64_t *value, struct dt_ledger *ledger)
{
	if (bk->bk_skip > 0)
		return blocks_skip(bk);
	if (bk->bk_blkend > bk->bk_pos)
		return blocks_record(bk);
	return blocks_header(bk, value, ledger);
}
