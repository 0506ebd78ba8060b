/* SPDX-License-Identifier: ISC */
/*
 * A recording as dt report reads it: blocks, and the records inside.  Since
 * hardly any random block has the right checksum, each file is read twice: as
 * it is, and with all checksums put right.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <libdt.h>

#include "wire/block.h"

struct input {
	const uint8_t *data;
	size_t len, pos;
};

static ssize_t
input_read(void *arg, void *buf, size_t nbytes)
{
	struct input *in = arg;

	if (nbytes > in->len - in->pos)
		nbytes = in->len - in->pos;
	if (nbytes > 0)
		memcpy(buf, in->data + in->pos, nbytes);
	in->pos += nbytes;
	return nbytes;
}

static volatile uint64_t sink;

/* Touches all that an item says is there. */
static void
use(const struct block_item *it)
{
	struct dt_event ev;
	unsigned int i, nargs;

	switch (it->bi_type) {
	case BLOCK_HEAD:
		sink += strlen(it->bi_head->bf_host) +
		    strlen(it->bi_head->bf_writer);
		break;
	case BLOCK_PROBE:
		sink += strlen(it->bi_probe.pb_prov) +
		    strlen(it->bi_probe.pb_func) + strlen(it->bi_probe.pb_name);
		for (i = 0; i < it->bi_probe.pb_nargs; i++)
			sink += strlen(it->bi_probe.pb_args[i].type) +
			    strlen(it->bi_probe.pb_args[i].name);
		break;
	case BLOCK_KSYM:
		sink += strlen(it->bi_ksym.name);
		break;
	case BLOCK_DATA:
		for (i = 0; i < it->bi_rec->dr_length; i++)
			sink += ((const uint8_t *)it->bi_rec)[i];
		for (nargs = 0; nargs <= DT_REC_NARGS; nargs += 2) {
			if (dt_decode(it->bi_rec, it->bi_rec->dr_length, nargs,
				&ev) == 0 &&
			    ev.ev_comm != NULL)
				sink += strlen(ev.ev_comm);
		}
		break;
	}
}

static void
read_all(const uint8_t *data, size_t len)
{
	struct input in = { .data = data, .len = len };
	struct block_reader *r;
	struct block_item it;

	if ((r = block_reader_alloc(input_read, &in)) == NULL)
		return;
	while (block_next(r, &it) == 1)
		use(&it);
	if (block_damage(r) != NULL)
		sink += strlen(block_damage(r));
	block_reader_free(r);
}

/* Puts the checksums right, block by block. */
static void
mend(uint8_t *data, size_t len)
{
	struct block_hdr h;
	size_t pos = 0, n;

	while (len - pos >= sizeof(h)) {
		memcpy(&h, data + pos, sizeof(h));
		n = ((size_t)h.bh_length + 7) & ~(size_t)7;
		if (len - pos - sizeof(h) < n)
			return;
		memset(data + pos + sizeof(h) + h.bh_length, 0,
		    n - h.bh_length);
		h.bh_sum = crc32_z(0, (void *)&h,
		    offsetof(struct block_hdr, bh_sum));
		if (n > 0)
			h.bh_sum = crc32_z(h.bh_sum, data + pos + sizeof(h), n);
		memcpy(data + pos, &h, sizeof(h));
		pos += sizeof(h) + n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *copy;

	read_all(data, len);
	if ((copy = malloc(len ? len : 1)) == NULL)
		return 0;
	memcpy(copy, data, len);
	mend(copy, len);
	read_all(copy, len);
	free(copy);
	return 0;
}
