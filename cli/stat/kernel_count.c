/* SPDX-License-Identifier: ISC */
/*
 * The kernel's table is small, so that it is fast and cheap; many keys are
 * merged here.  The time between snapshots depends on how full the table was,
 * so only a table that fills up is read often.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/stat/kernel_count.h"
#include "cli/stat/key_kernel.h"

#define KERNEL_COUNT_FIRST 20000000   /* ns until the first snapshot */
#define KERNEL_COUNT_SHORT 5000000    /* ns between snapshots at least */
#define KERNEL_COUNT_LONG  1000000000 /* and at most */
/* at most, of totals, whose rows are few: most snapshots are for a print */
#define KERNEL_COUNT_TOTAL   UINT64_C(10000000000)
#define KERNEL_COUNT_ROWS    131072	/* of keys with many values */
#define KERNEL_COUNT_MANY(n) ((n) / 4)	/* rows after which it is halved */
#define KERNEL_COUNT_FEW(n)  ((n) / 16) /* and doubled */

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
	return 0;
}

/* Requests a smaller table if the user's limits do not permit a large one. */
static int
kernel_count_set(struct kernel_count *kn, struct dtioc_agg *ag)
{
	ag->dtag_maxrows = kn->kct_maxrows;
	if (dt_ioctl(kn->kct_dt, DTIOCSAGG, ag) == 0)
		return 0;
	if (errno != ENOMEM || kn->kct_nprobes > 0 ||
	    kn->kct_maxrows == DTAG_ROWS)
		return -1;
	ag->dtag_maxrows = kn->kct_maxrows = DTAG_ROWS;
	return dt_ioctl(kn->kct_dt, DTIOCSAGG, ag);
}

/* Probes that dtd refuses to count here stay events. */
static void
kernel_count_request(struct kernel_count *kn, uint32_t pbn, char *why,
    size_t nwhy)
{
	struct key_kernel *kk = dt_hash_ptr(&kn->kct_probes, pbn);

	if (kernel_count_set(kn, &kk->kyk_agg) == 0)
		kn->kct_nprobes++;
	else
		snprintf(why, nwhy, "%s", dt_error(kn->kct_dt));
}

int
kernel_count_start(struct kernel_count *kn, struct dt *dt, struct count *ta,
    const struct kernel_count_probe *kcp, size_t n, char *why, size_t nwhy)
{
	size_t i;

	*kn = (struct kernel_count){ .kct_dt = dt, .kct_count = ta };
	kn->kct_wantsprobe = n > 1 && key_kernel_wants_probe(ta->cnt_by);
	kn->kct_every = KERNEL_COUNT_FIRST;
	kn->kct_longest = ta->cnt_istotal ? KERNEL_COUNT_TOTAL
					  : KERNEL_COUNT_LONG;
	kn->kct_maxrows = !ta->cnt_istotal &&
		(ta->cnt_hasbuckets || key_kernel_ismany(ta->cnt_by))
	    ? KERNEL_COUNT_ROWS
	    : DTAG_ROWS;
	kn->kct_only = n > 0 ? kcp[0].kcp_pbn : 0;
	for (i = 0; i < n; i++)
		if (kernel_count_add(kn, &kcp[i], why, nwhy) == -1)
			return -1;
	for (i = 0; i < n; i++)
		kernel_count_request(kn, kcp[i].kcp_pbn, why, nwhy);
	return kn->kct_nprobes > 0 ? 0 : -1;
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

static void
kernel_count_row(struct kernel_count *kn, const struct dtioc_aggrow *row)
{
	uint32_t pbn = kn->kct_wantsprobe ? row->dtrw_words[0] : kn->kct_only;
	const struct key_kernel *kk = dt_hash_ptr(&kn->kct_probes, pbn);
	struct hist_part hp;
	struct key_row kr;

	if (kk == NULL)
		return; /* unreachable: dtd returns rows of our probes */
	hp = kernel_count_values(kk, row);
	key_kernel_row(kk, row, &kr);
	count_hits(kn->kct_count, &kr.kyr_ev, row->dtrw_count,
	    row->dtrw_bucket != 0 ? &hp : NULL);
}

/*
 * Sets the time of the next snapshot, after one of n rows.  isfull: the table
 * was full.
 */
static void
kernel_count_pace(struct kernel_count *kn, uint64_t now, size_t n, int isfull)
{
	uint64_t ns = kn->kct_every;

	if (isfull)
		ns = KERNEL_COUNT_SHORT;
	else if (n > KERNEL_COUNT_MANY(kn->kct_maxrows))
		ns /= 2;
	else if (n < KERNEL_COUNT_FEW(kn->kct_maxrows))
		ns *= 2;
	if (ns < KERNEL_COUNT_SHORT)
		ns = KERNEL_COUNT_SHORT;
	if (ns > kn->kct_longest)
		ns = kn->kct_longest;
	kn->kct_every = ns;
	kn->kct_next = now + ns;
}

int
kernel_count_snapshot(struct kernel_count *kn, uint64_t now, uint64_t *nhits)
{
	struct dtioc_aggsnap as;
	struct dtioc_aggrow row;
	size_t nrows = 0;
	int n;

	*nhits = 0;
	if (dt_ioctl(kn->kct_dt, DTIOCAGGSNAP, &as) == -1)
		return -1;
	while ((n = dt_agg_next(kn->kct_dt, &row)) == 1) {
		kernel_count_row(kn, &row);
		*nhits += row.dtrw_count;
		nrows++;
	}
	count_full(kn->kct_count, as.dtas_mapfull - kn->kct_mapfull);
	kernel_count_pace(kn, now, nrows, as.dtas_mapfull != kn->kct_mapfull);
	kn->kct_mapfull = as.dtas_mapfull;
	return n;
}

void
kernel_count_free(struct kernel_count *kn)
{
	hash_free(&kn->kct_probes);
}
