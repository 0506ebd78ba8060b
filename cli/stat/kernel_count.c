/* SPDX-License-Identifier: ISC */
/*
 * Requests that the kernel counts hits by the keys of a struct count, and adds
 * its rows.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stat/kernel_count.h"
#include "cli/stat/key_kernel.h"

#define KERNEL_COUNT_ROWS 131072 /* of keys with many values */
/* ns between snapshots of totals, whose rows are few; most are for a print */
#define KERNEL_COUNT_TOTAL UINT64_C(10000000000)

/* Key of rows with a hash: the bytes of key_make(). */
struct known_key {
	uint32_t knk_pbn;
	size_t knk_len;
	uint64_t knk_key[];
};

/*
 * Without percentiles, a row has the extremes of signed numbers; unsigned
 * numbers need a row for each sign.
 */
static void
kernel_count_buckets(const struct count *ta, struct key_kernel *kk)
{
	struct dtioc_agg *ag = &kk->kyk_agg;

	if (ag->dtag_value.op_kind == DT_OPD_NONE || !ta->cnt_hashists ||
	    (!ta->cnt_hasbuckets && !kk->kyk_isunsigned))
		return;
	ag->dtag_hist = DTAG_LOG;
	ag->dtag_sub = ta->cnt_hasbuckets && !ta->cnt_istotal ? HIST_SUB : 0;
}

static int
kernel_count_add(struct kernel_count *kn, const struct kernel_count_probe *kcp,
    char *why, size_t nwhy)
{
	struct key_kernel *kk = calloc(1, sizeof(*kk));

	if (kk == NULL)
		err(1, "probes");
	kk->kyk_pbn = kcp->kcp_pbn;
	kk->kyk_first = kcp->kcp_first;
	kk->kyk_ispair = kcp->kcp_ispair;
	if (dt_hash_put(&kn->kct_probes, kk->kyk_pbn, kk) == -1)
		err(1, "probes");
	if (key_kernel_agg(kn->kct_count->cnt_by, kn->kct_wantsprobe, kk, why,
		nwhy) == -1)
		return -1;
	kernel_count_buckets(kn->kct_count, kk);
	/* rows of a hash do not have their probe, so all probes have one */
	kn->kct_rows.krw_isrecord |= kk->kyk_isrecord;
	return 0;
}

/* Probes that dtd refuses to count here stay events. */
static void
kernel_count_request(struct kernel_count *kn, uint32_t pbn, char *why,
    size_t nwhy)
{
	struct key_kernel *kk = dt_hash_ptr(&kn->kct_probes, pbn);

	if (kernel_rows_set(&kn->kct_rows, &kk->kyk_agg) == -1)
		snprintf(why, nwhy, "%s", dt_error(kn->kct_rows.krw_dt));
}

/*
 * Returns values as dt counts them: unsigned numbers beyond the type are its
 * largest, and so is their sum.  If extremes are wanted, all values of the row
 * are such numbers, or none is.
 */
static struct hist_part
kernel_count_values(const struct key_kernel *kk, const struct dtioc_aggrow *row)
{
	struct hist_part hp = { row->dtrw_count, row->dtrw_sum, row->dtrw_min,
		row->dtrw_max };

	if (kk->kyk_isunsigned && row->dtrw_min < 0)
		hp.hp_sum = hp.hp_min = hp.hp_max = INT64_MAX;
	return hp;
}

/* Adds n hits by the key of their probe, or of the event of their hash. */
static void
kernel_count_row(void *arg, const struct dtioc_aggrow *row, void *known)
{
	struct kernel_count *kn = arg;
	const struct known_key *knk = known;
	const struct key_kernel *kk;
	uint32_t pbn = kn->kct_only;
	struct hist_part hp;
	struct key_row kr;

	if (knk != NULL)
		pbn = knk->knk_pbn;
	else if (kn->kct_wantsprobe)
		pbn = row->dtrw_words[0];
	if ((kk = dt_hash_ptr(&kn->kct_probes, pbn)) == NULL)
		return; /* unreachable: dtd returns rows of our probes */
	hp = kernel_count_values(kk, row);
	if (knk != NULL) {
		count_key_hits(kn->kct_count, knk->knk_key, knk->knk_len,
		    row->dtrw_count, row->dtrw_bucket != 0 ? &hp : NULL);
		return;
	}
	key_kernel_row(kk, row, &kr);
	count_hits(kn->kct_count, &kr.kyr_ev, row->dtrw_count,
	    row->dtrw_bucket != 0 ? &hp : NULL);
}

int
kernel_count_start(struct kernel_count *kn, struct dt *dt, struct count *ta,
    const struct kernel_count_probe *kcp, size_t n, char *why, size_t nwhy)
{
	struct kernel_rows *kr = &kn->kct_rows;
	size_t i;

	*kn = (struct kernel_count){ .kct_count = ta };
	kr->krw_add = kernel_count_row;
	kr->krw_arg = kn;
	kernel_rows_begin(kr, dt,
	    !ta->cnt_istotal &&
		    (ta->cnt_hasbuckets || key_kernel_ismany(ta->cnt_by))
		? KERNEL_COUNT_ROWS
		: DTAG_ROWS);
	if (ta->cnt_istotal)
		kr->krw_longest = KERNEL_COUNT_TOTAL;
	kn->kct_wantsprobe = n > 1 && key_kernel_wants_probe(ta->cnt_by);
	kn->kct_only = n > 0 ? kcp[0].kcp_pbn : 0;
	for (i = 0; i < n; i++)
		if (kernel_count_add(kn, &kcp[i], why, nwhy) == -1)
			return -1;
	for (i = 0; i < n; i++)
		kernel_count_request(kn, kcp[i].kcp_pbn, why, nwhy);
	return kr->krw_nset > 0 ? 0 : -1;
}

void
kernel_count_event(struct kernel_count *kn, const struct dt_event *ev)
{
	struct known_key *knk;
	const void *key;
	void **known;
	size_t len;

	if (ev->ev_key == NULL) {
		count_event(kn->kct_count, ev);
		return;
	}
	key = count_keyed(kn->kct_count, ev, &len);
	known = kernel_rows_known(&kn->kct_rows, ev);
	if (*known != NULL)
		return;
	if ((knk = malloc(sizeof(*knk) + len)) == NULL)
		err(1, "keys");
	knk->knk_pbn = ev->ev_rec->dr_pbn;
	knk->knk_len = len;
	memcpy(knk->knk_key, key, len);
	*known = knk;
}

int
kernel_count_snapshot(struct kernel_count *kn, uint64_t now, uint64_t *nhits)
{
	uint64_t nfull;
	int r = kernel_rows_snapshot(&kn->kct_rows, now, nhits, &nfull);

	count_full(kn->kct_count, nfull);
	return r;
}

void
kernel_count_end(struct kernel_count *kn)
{
	/* none, unless the connection has failed */
	count_others(kn->kct_count, kernel_rows_end(&kn->kct_rows));
}

void
kernel_count_free(struct kernel_count *kn)
{
	hash_free(&kn->kct_probes);
	kernel_rows_free(&kn->kct_rows);
}
