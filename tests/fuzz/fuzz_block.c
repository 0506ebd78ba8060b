/* SPDX-License-Identifier: ISC */
/*
 * A recording as dt report reads it: blocks and their records, in the order of
 * the file and in order of time.  Because hardly any random block has a valid
 * checksum, each file is read twice: unchanged, and with all checksums
 * corrected.
 *
 * Both orders must have the same records.
 *
 * Links with $(call obj,cli/recording/replay.c).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libdt.h>

#include "cli/recording/replay.h"
#include "tests/fuzz/mend.h"

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

/* Reads all bytes that an item claims. */
static void
use(const struct block_item *it)
{
	struct dt_event ev;
	unsigned int i, nargs;

	switch (it->bi_type) {
	case BLOCK_HEAD:
		sink += strlen(it->bi_head->bf_host) +
		    strlen(it->bi_head->bf_writer) +
		    strlen(it->bi_head->bf_boot);
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
	case BLOCK_FILE:
		sink += strlen(it->bi_file.path) + it->bi_file.pid +
		    it->bi_file.fd;
		break;
	case BLOCK_CGROUP:
		sink += strlen(it->bi_cgroup.path) + it->bi_cgroup.id;
		break;
	case BLOCK_CLOCK:
		sink += it->bi_clock;
		break;
	case BLOCK_PASS:
		sink += it->bi_lowwater;
		break;
	case BLOCK_PLACE:
		sink += strlen(it->bi_place.bl_func) +
		    strlen(it->bi_place.bl_module) +
		    strlen(it->bi_place.bl_srcfile);
		break;
	case BLOCK_KCOV:
		sink += it->bi_kcov.bkc_read;
		break;
	case BLOCK_STOP:
		sink += it->bi_stop.bs_why + it->bi_stop.bs_unwritten;
		break;
	case BLOCK_LEDGER:
		sink += it->bi_ledger.dl_read;
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

/* Results of a reader. */
struct found {
	uint64_t nrecs, sum, nfiles;
	int end;
};

static void
find(struct found *fo, const struct block_item *it)
{
	use(it);
	if (it->bi_type == BLOCK_DATA && it->bi_rec->dr_kind == DT_REC_EVENT) {
		fo->nrecs++;
		fo->sum += it->bi_rec->dr_time * 31 + it->bi_cpu;
	}
	fo->nfiles += it->bi_type == BLOCK_FILE;
}

static struct found
read_blocks(const uint8_t *data, size_t len)
{
	struct input in = { .data = data, .len = len };
	struct block_reader *r;
	struct block_item it;
	struct found fo = { 0 };

	if ((r = block_reader_alloc(input_read, &in)) == NULL)
		abort();
	while ((fo.end = block_next(r, &it)) == 1)
		find(&fo, &it);
	if (block_damage(r) != NULL)
		sink += strlen(block_damage(r));
	block_reader_free(r);
	return fo;
}

static const char *
all_is_well(void *arg, const struct dt_rec *rec)
{
	(void)arg;
	(void)rec;
	return NULL;
}

static struct found
read_replay(const uint8_t *data, size_t len)
{
	struct input in = { .data = data, .len = len };
	struct replay *rp = replay_alloc(input_read, all_is_well, &in, NULL);
	struct block_item it;
	struct found fo = { 0 };

	while ((fo.end = replay_next(rp, &it)) == 1)
		find(&fo, &it);
	if (replay_damage(rp) != NULL)
		sink += strlen(replay_damage(rp));
	replay_free(rp);
	return fo;
}

static void
read_all(const uint8_t *data, size_t len)
{
	struct found a = read_blocks(data, len);
	struct found b = read_replay(data, len);

	/* paths before the end of the file belong to no record */
	if (a.nrecs != b.nrecs || a.sum != b.sum || a.nfiles < b.nfiles ||
	    a.end != b.end)
		abort();
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
