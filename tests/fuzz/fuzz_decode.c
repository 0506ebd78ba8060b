/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes libdt's parsers: dt_decode() of a record, which may be from another
 * user's file, and the parser of the data socket.
 *
 * An input: a byte with the number of arguments, one with the length of the
 * pieces in which the stream arrives, 6 unused bytes, and then the bytes used
 * as a record and as a stream.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stream_blocks.h"
#include <libdt.h>

#define INPUT_HEADER 8
#define INPUT_MAX    (256 << 10) /* below the parser's buffer */

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static volatile uint64_t sink;

/* Reads n bytes, so that the sanitizer checks them. */
static void
touch(const void *p, size_t n)
{
	const uint8_t *byte = p;
	uint64_t sum = 0;

	if ((uintptr_t)p % 8 != 0)
		abort();
	while (n-- > 0)
		sum += *byte++;
	sink += sum;
}

static void
touch_stack(const struct dt_rec_stack *st)
{
	if (st == NULL)
		return;
	if (st->drs_count > DT_REC_MAXFRAMES)
		abort();
	touch(st, sizeof(*st));
	touch(DT_STACK_PCS(st), st->drs_count * sizeof(uint64_t));
}

/* Walks a record like a client, without further checks. */
static void
touch_strings(const struct dt_event *ev)
{
	const struct dt_rec_strings *sz = ev->ev_strings;
	const struct dt_rec_string *s = NULL;
	const uint8_t *p;
	uint32_t i;

	if (sz == NULL) {
		if (dt_string(ev, NULL) != NULL)
			abort();
		return;
	}
	p = (const uint8_t *)(sz + 1);
	for (i = 0; i < sz->drz_count; i++) {
		s = dt_string(ev, s);
		if ((const uint8_t *)s != p)
			abort();
		touch(s, sizeof(*s));
		touch(s + 1, s->drt_length);
		p += sizeof(*s) + ((s->drt_length + 7U) & ~7U);
	}
	if (p != (const uint8_t *)(sz + 1) + sz->drz_nbytes ||
	    dt_string(ev, s) != NULL)
		abort();
}

static void
touch_event(const struct dt_event *ev)
{
	static struct dt_evt evt;

	touch(ev->ev_rec, ev->ev_rec->dr_length);
	if (ev->ev_args != NULL)
		touch(ev->ev_args, ev->ev_nargs * sizeof(*ev->ev_args));
	if (ev->ev_ret != NULL)
		touch(ev->ev_ret, sizeof(*ev->ev_ret));
	if (ev->ev_comm != NULL)
		touch(ev->ev_comm, strlen(ev->ev_comm));
	if (ev->ev_who != NULL)
		touch(ev->ev_who, sizeof(*ev->ev_who));
	touch_stack(ev->ev_kstack);
	touch_stack(ev->ev_ustack);
	touch_strings(ev);
	if (ev->ev_duration != NULL)
		touch(ev->ev_duration, sizeof(*ev->ev_duration));
	dt_widen(ev, &evt);
}

/* Parses what is in the buffer.  Returns 0 if the stream is invalid. */
static int
fuzz_drain(struct dt_blocks *bk, unsigned int nargs)
{
	const struct dt_rec *rec;
	struct dt_ledger ledger;
	enum dt_item item;
	struct dt_event ev;
	uint64_t value;

	for (;;) {
		while ((rec = dt_blocks_rec(bk)) != NULL) {
			touch(rec, rec->dr_length);
			if (dt_decode(rec, rec->dr_length, nargs, &ev) == 0)
				touch_event(&ev);
		}
		if (bk->bk_pos > bk->bk_lim || bk->bk_lim > bk->bk_end ||
		    bk->bk_end > DT_BLOCKS_SIZE)
			abort();
		item = dt_blocks_step(bk, &value, &ledger);
		if (item == DT_ITEM_BAD)
			return 0;
		if (item == DT_ITEM_MORE)
			return 1;
		if (item == DT_ITEM_END)
			touch(&ledger, sizeof(ledger));
		if (item == DT_ITEM_NOTE && strlen(bk->bk_note) > WIRE_MAXNOTE)
			abort();
	}
}

static void
fuzz_blocks(const uint8_t *data, size_t nbytes, size_t piece,
    unsigned int nargs)
{
	struct dt_blocks bk = { 0 };
	size_t n, room;
	void *to;

	bk.bk_buf = malloc(DT_BLOCKS_SIZE);
	if (bk.bk_buf == NULL)
		return;
	while (nbytes > 0) {
		to = dt_blocks_space(&bk, &room);
		if (room < DT_BLOCKS_MAXREC)
			abort(); /* no record that long is ever kept */
		n = nbytes < piece ? nbytes : piece;
		memcpy(to, data, n);
		dt_blocks_fed(&bk, n);
		if (!fuzz_drain(&bk, nargs))
			break;
		data += n;
		nbytes -= n;
	}
	free(bk.bk_buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
	unsigned int nargs;
	struct dt_event ev;
	size_t piece;
	uint8_t *copy;

	if (nbytes < INPUT_HEADER || nbytes > INPUT_MAX)
		return 0;
	nargs = data[0];
	piece = data[1] == 0 ? INPUT_MAX : data[1];
	data += INPUT_HEADER;
	nbytes -= INPUT_HEADER;

	copy = malloc(nbytes + (nbytes == 0)); /* aligned, of exact size */
	if (copy == NULL)
		return 0;
	memcpy(copy, data, nbytes);
	if (dt_decode(copy, nbytes, nargs, &ev) == 0)
		touch_event(&ev);
	fuzz_blocks(copy, nbytes, piece, nargs);
	free(copy);
	return 0;
}
