/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes requests to count hits, structs that clients send with DTIOCSAGG.
 *
 * An input: a byte that selects a bucket, and a struct dtioc_agg.  The daemon
 * must give a reason for each refusal, and whatever it accepts must be numbers
 * of a hit.  The buckets of an accepted histogram must follow each other.
 */
#include <libdt.h>

#include "daemon/dt/dt_agg.h"
#include "tests/fuzz/fuzz_session.h"

/* Replaces a part of the daemon. */
void
dt_ledger_sum(const struct dt_softc *sc, struct dt_ledger *dl)
{
	(void)sc;
	memset(dl, 0, sizeof(*dl));
}

/* The second and third probe are a pair. */
static void
fuzz_enable_pair(void)
{
	fuzz_enable();
	pcbs[1].dp_other = &pcbs[2];
	pcbs[1].dp_req.rq_bits = DT_REQ_FROM;
	pcbs[2].dp_other = &pcbs[1];
	pcbs[2].dp_req.rq_bits = DT_REQ_TO;
}

/*
 * Checks the part that a BPF program reads, which has 16 words of the hit.
 * Returns the words of the key that it takes.
 */
static unsigned int
fuzz_look(const struct dt_look *lo, int iskey)
{
	if (lo->lo_how == DT_LOOK_COMM && iskey && lo->lo_size == 0)
		return 2;
	if (lo->lo_how == DT_LOOK_CGROUP && iskey && lo->lo_size == 8)
		return 1;
	if (lo->lo_how != DT_LOOK_HIT ||
	    lo->lo_off + lo->lo_size > 16 * sizeof(uint64_t) ||
	    (lo->lo_size != 1 && lo->lo_size != 2 && lo->lo_size != 4 &&
		lo->lo_size != 8))
		abort();
	return 1;
}

static void
fuzz_desc(const struct dt_aggdesc *ad)
{
	unsigned int i, nwords = 0;

	if (ad->agd_nparts > DT_AGG_NPARTS)
		abort();
	for (i = 0; i < ad->agd_nparts; i++)
		nwords += fuzz_look(&ad->agd_part[i], 1);
	if (nwords > DT_AGG_NWORDS)
		abort();
	if (ad->agd_bits & DT_AGG_VALUE)
		fuzz_look(&ad->agd_value, 0);
	else if (ad->agd_divisor != 0)
		abort();
	if (ad->agd_hist == DT_AGG_LINEAR && ad->agd_step == 0)
		abort();
}

/* Buckets are in order, without a gap; of negative ones the order is reverse. */
static void
fuzz_buckets(const struct dtioc_agg *ia, uint64_t n)
{
	int64_t first, last, next, after;
	uint64_t sign;

	if (dt_agg_bucket(ia, DT_AGG_NOVALUE, &first, &last) != 0)
		abort();
	if (ia->dtag_hist == DTAG_PLAIN)
		return;
	for (sign = 0; sign <= DT_AGG_NEGATIVE; sign += DT_AGG_NEGATIVE) {
		if (dt_agg_bucket(ia, sign + DT_AGG_FIRST + n, &first, &last) !=
			1 ||
		    dt_agg_bucket(ia, sign + DT_AGG_FIRST + n + 1, &next,
			&after) != 1 ||
		    first > last || next > after)
			abort();
		if (ia->dtag_hist == DTAG_LINEAR)
			sign = DT_AGG_NEGATIVE; /* the last round */
		else if (sign != 0) {
			if (first != INT64_MIN && after != first - 1)
				abort();
			continue;
		}
		if (last != INT64_MAX && next != last + 1)
			abort();
	}
}

/*
 * Sends it twice: a session's first request goes to a worker after the checks;
 * for the second its description is stored, too.
 */
static void
fuzz_send(const struct dtioc_agg *ia, uint8_t bucket)
{
	static struct dt_aggdesc descs[2 * DT_AGG_NDESCS];
	struct dt_softc sc = { .ds_client.dcl_slot = 1 };
	struct op op = { .op_sc = &sc, .op_arg = ia, .op_arglen = sizeof(*ia) };
	unsigned int no;
	struct dt_pcb *dp;
	int error;

	fuzz_enable_pair();
	memset(descs, 0, sizeof(descs));
	dt_maps.dtm_aggdescs = descs;
	error = dt_ioctl_set_agg(&op);
	if (error == OP_LATER) {
		dp = &pcbs[ia->dtag_pbn];
		if (dt_ioctl_set_agg(&op) != 0 ||
		    ((dp->dp_req.rq_agg & DT_REQ_AGG_RECORD) != 0) !=
			((ia->dtag_flags & DTAG_RECORD) != 0))
			abort();
		no = dp->dp_req.rq_agg & DT_REQ_AGG_NO;
		if (no == 0 || no > DT_AGG_NDESCS ||
		    dt_ioctl_set_agg(&op) != EEXIST)
			abort();
		fuzz_desc(&descs[DT_AGGDESC(1, no - 1)]);
		fuzz_buckets(ia, bucket);
		dt_agg_part(&sc, &pcbs[dp == &pcbs[2] ? 1 : ia->dtag_pbn]);
		if (dp->dp_req.rq_agg != 0 || dt_ioctl_set_agg(&op) != 0)
			abort();
	} else if (error == 0 || op.op_reason.rsn_text[0] == '\0')
		abort(); /* no reason */
	dt_agg_free(&sc);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dtioc_agg ia = { 0 };

	if (size < 1 || size > 1 + sizeof(ia))
		return 0;
	limit_max[LIMIT_MAPBYTES] = (struct limit_max){ 1ULL << 30, 0 };
	memcpy(&ia, data + 1, size - 1);
	fuzz_send(&ia, data[0]);
	return 0;
}
