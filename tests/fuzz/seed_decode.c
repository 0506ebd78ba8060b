/* SPDX-License-Identifier: ISC */
/*
 * Writes the seed corpus of fuzz_decode.c into the folder it is given:
 *
 *	cc -D_GNU_SOURCE -I. -Iinclude -o seed_decode \
 *	    tests/fuzz/seed_decode.c
 *	./seed_decode tests/fuzz/corpus/decode
 *
 * The corpus is committed; this is for when the record or the blocks change.
 */
#include <err.h>
#include <stdio.h>

#include "tests/unit/test_libdt_rec.h"
#include "wire/wire.h"

struct seed {
	uint8_t se_buf[65536];
	size_t se_len;
};

static const char *folder;
static struct seed seed;

static void
seed_put(const void *what, size_t nbytes)
{
	memcpy(seed.se_buf + seed.se_len, what, nbytes);
	seed.se_len += nbytes;
}

static void
seed_begin(uint8_t nargs, uint8_t piece)
{
	const uint8_t header[8] = { nargs, piece };

	seed.se_len = 0;
	seed_put(header, sizeof(header));
}

static void
seed_end(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (f == NULL ||
	    fwrite(seed.se_buf, 1, seed.se_len, f) != seed.se_len ||
	    fclose(f) != 0)
		err(1, "%s", path);
}

static void
seed_block(uint32_t kind, uint32_t nbytes)
{
	struct wire_block wb = {
		.wb_kind = kind,
		.wb_cpu = 1,
		.wb_nbytes = nbytes,
		.wb_lowwater = 1000,
	};

	seed_put(&wb, sizeof(wb));
}

/* Writes a DATA block of one record. */
static void
seed_data(unsigned int flags, uint32_t bits)
{
	_Alignas(8) uint8_t buf[REC_MAX];
	size_t n = rec_build(buf, flags, 1, 500);
	struct dt_ringhdr rh = { .rh_len = (uint32_t)n | bits };

	seed_block(WIRE_BLOCK_DATA, (uint32_t)(sizeof(rh) + n));
	seed_put(&rh, sizeof(rh));
	seed_put(buf, n);
}

/* Writes a record alone, for dt_decode(). */
static void
seed_record(unsigned int flags, const char *name)
{
	_Alignas(8) uint8_t buf[REC_MAX];
	size_t n = rec_build(buf, flags, 1, 500);

	seed_begin(REC_NARGS, 0);
	seed_put(buf, n);
	seed_end(name);
}

/*
 * Paths of the maximum length, one of them longer in the process, a vector's
 * end, and memory that was not read; less is cut from the end.
 */
static void
seed_paths(size_t less, const char *name)
{
	static const struct dt_rec_string heads[] = {
		{ 0, 0, 0, DT_REC_MAXPATH - 1, DT_REC_MAXPATH - 1 },
		{ 1, DT_STR_RETURN, 0, DT_REC_MAXPATH - 1, 65535 },
		{ 2, DT_STR_VECTOR | DT_STR_MORE, 0, 0, 1000 },
		{ 3, DT_STR_MEMORY, 14, 0, 0 },
		{ 4, DT_STR_DATA, 0, 3, 5 },
	};
	static const uint8_t bytes[DT_REC_MAXPATH] = "/a/path";
	struct dt_rec rec = { .dr_kind = DT_REC_EVENT,
		.dr_flags = DT_REC_STRINGS };
	struct dt_rec_strings sz = { 0 };
	size_t i, n = sizeof(heads) / sizeof(heads[0]);

	for (i = 0; i < n; i++)
		sz.drz_nbytes += sizeof(heads[i]) +
		    ((heads[i].drt_length + 7U) & ~7U);
	sz.drz_count = n;
	rec.dr_length = sizeof(rec) + sizeof(sz) + sz.drz_nbytes - less;
	seed_begin(0, 0);
	seed_put(&rec, sizeof(rec));
	seed_put(&sz, sizeof(sz));
	for (i = 0; i < n; i++) {
		seed_put(&heads[i], sizeof(heads[i]));
		seed_put(bytes, (heads[i].drt_length + 7U) & ~7U);
	}
	seed.se_len -= less;
	seed_end(name);
}

static void
seed_stream(uint8_t piece, const char *name)
{
	struct dt_ledger ledger = { .dl_fired = 3, .dl_read = 3 };
	char note[WIRE_MAXNOTE] = "too much";
	int64_t off = 1000000000;

	seed_begin(REC_NARGS, piece);
	seed_block(WIRE_BLOCK_CLOCK, sizeof(off));
	seed_put(&off, sizeof(off));
	seed_data(DT_REC_ARGS | DT_REC_COMM, 0);
	seed_block(WIRE_BLOCK_PASS, 0);
	seed_data(DT_REC_RETVAL, DT_RING_DISCARD);
	seed_data(0xff, 0);
	seed_block(77, 8); /* of an unknown kind */
	seed_put("unknown", 8);
	seed_block(WIRE_BLOCK_DATA, 0);
	seed_block(WIRE_BLOCK_NOTE, sizeof(note));
	seed_put(note, sizeof(note));
	seed_block(WIRE_BLOCK_END, sizeof(ledger));
	seed_put(&ledger, sizeof(ledger));
	seed_end(name);
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		errx(1, "usage: seed_decode folder");
	folder = argv[1];
	seed_record(0, "record-bare");
	seed_record(DT_REC_ARGS, "record-args");
	seed_record(DT_REC_RETVAL | DT_REC_DURATION, "record-return");
	seed_record(DT_REC_KSTACK | DT_REC_USTACK, "record-stacks");
	seed_record(DT_REC_ARGS | DT_REC_STRINGS, "record-strings");
	seed_record(0xff, "record-all");
	seed_paths(0, "record-paths");
	seed_paths(8, "record-paths-cut");
	seed_paths(DT_REC_MAXPATH, "record-paths-half");
	seed_stream(0, "stream-whole");
	seed_stream(13, "stream-pieces");
	seed_begin(REC_NARGS, 0);
	seed_data(DT_REC_ARGS, DT_RING_BUSY);
	seed_end("stream-busy");
	seed_begin(REC_NARGS, 0);
	seed_block(WIRE_BLOCK_DATA, WIRE_MAXBLOCK + 8);
	seed_end("stream-long");
	return 0;
}
