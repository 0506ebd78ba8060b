/* SPDX-License-Identifier: ISC */
/* A stream of the data socket that a test writes. */
#ifndef TEST_LIBDT_OUT_H
#define TEST_LIBDT_OUT_H

#include "tests/unit/test_libdt_peer.h"
#include "tests/unit/test_libdt_rec.h"

/* A stream being written. */
struct out {
	uint8_t o_buf[1 << 20];
	size_t o_len;
};

static struct out out; /* for the peer's thread or the test's */

static inline void
put(const void *what, size_t nbytes)
{
	PEER_ASSERT(out.o_len + nbytes <= sizeof(out.o_buf));
	memcpy(out.o_buf + out.o_len, what, nbytes);
	out.o_len += nbytes;
}

static inline void
put_block(uint32_t kind, uint32_t cpu, uint32_t nbytes, uint64_t lowwater)
{
	struct wire_block wb = {
		.wb_kind = kind,
		.wb_cpu = cpu,
		.wb_nbytes = nbytes,
		.wb_lowwater = lowwater,
	};

	put(&wb, sizeof(wb));
}

/* A ring header and its data, padded as in a ring. */
static inline void
put_ring(const void *rec, uint32_t len, uint32_t bits)
{
	struct dt_ringhdr rh = { .rh_len = len | bits };

	put(&rh, sizeof(rh));
	put(rec, len);
	put("\0\0\0\0\0\0\0", -len & 7);
}

/* A record of probe 1, which has no argument, or 2, which has REC_NARGS. */
static inline void
put_rec(uint32_t pbn, uint64_t time)
{
	_Alignas(8) uint8_t buf[REC_MAX];
	size_t n = rec_build(buf, pbn == 2 ? DT_REC_ARGS : DT_REC_COMM, pbn,
	    time);

	put_ring(buf, (uint32_t)n, 0);
}

/* Bytes of these records in a block. */
#define SPAN1 (8U + 24 + 16)
#define SPAN2 (8U + 24 + 8 * REC_NARGS)

static inline void
put_end(uint64_t fired, uint64_t runs)
{
	struct dt_ledger dl = { .dl_fired = fired,
		.dl_read = fired,
		.dl_runs = runs };

	put_block(WIRE_BLOCK_END, 0, sizeof(dl), 0);
	put(&dl, sizeof(dl));
}

#endif /* TEST_LIBDT_OUT_H */
