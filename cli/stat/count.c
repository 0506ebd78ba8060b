/* SPDX-License-Identifier: ISC */
/*
 * The counting of count.h.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/hist.h"
#include "cli/calls/kernel_pair.h"
#include "cli/stat/count.h"

void
tally_init(struct tally *ta, struct by *by, uint64_t maxkeys, int ishist)
{
	memset(ta, 0, sizeof(*ta));
	ta->ta_by = by;
	ta->ta_isshort = by_is_short(by);
	ta->ta_ishist = ishist;
	ta->ta_maxkeys = maxkeys != 0 ? maxkeys : TALLY_MAXKEYS;
}

/* Forgets the counts. */
static void
tally_clear(struct tally *ta)
{
	if (ta->ta_ishist)
		hash_free(&ta->ta_map);
	else
		hash_clear(&ta->ta_map);
	ta->ta_nbytes = ta->ta_nothers = ta->ta_othersum = 0;
}

void
tally_free(struct tally *ta)
{
	if (ta->ta_pairs != NULL)
		pair_free(ta->ta_pairs);
	free(ta->ta_pairs);
	ta->ta_pairs = NULL;
	tally_clear(ta);
	by_free(ta->ta_by);
	ta->ta_by = NULL;
}

static void
tally_add(int64_t *sum, int64_t v)
{
	if (__builtin_add_overflow(*sum, v, sum))
		*sum = v < 0 ? INT64_MIN : INT64_MAX;
}

/* Makes the entry of a key, or returns NULL if there is no room. */
static struct hash_entry *
tally_new(struct tally *ta, const void *key, size_t len)
{
	if (ta->ta_map.ha_n >= ta->ta_maxkeys ||
	    ta->ta_nbytes >= TALLY_MAXBYTES) {
		ta->ta_nothers++;
		return NULL;
	}
	ta->ta_nbytes += len;
	by_keep(ta->ta_by, key);
	return hash_get(&ta->ta_map, key, len);
}

/* Counts a key, and returns its entry or NULL.  Most have been there before. */
static struct hash_entry *
tally_count(struct tally *ta, const void *key, size_t len)
{
	struct hash_entry *e = hash_find(&ta->ta_map, key, len);

	if (e != NULL || (e = tally_new(ta, key, len)) != NULL)
		e->he_count++;
	return e;
}

static struct hist *
tally_hist(struct tally *ta, struct hash_entry *e)
{
	if (e->he_ptr == NULL) {
		if ((e->he_ptr = calloc(1, sizeof(struct hist))) == NULL)
			err(1, "counts");
		ta->ta_nbytes += sizeof(struct hist);
	}
	return e->he_ptr;
}

static void
tally_call(struct tally *ta, const struct by_call *bc)
{
	struct hash_entry *e;
	int64_t v;

	e = tally_count(ta, ta->ta_key, by_key(ta->ta_by, bc, ta->ta_key));
	if (!by_sum(ta->ta_by, bc, &v))
		return;
	if (ta->ta_ishist && e != NULL)
		hist_add(tally_hist(ta, e), v);
	else
		tally_add(e != NULL ? &e->he_sum : &ta->ta_othersum, v);
}

static void
tally_one(struct tally *ta, const struct dt_event *ev)
{
	struct by_call bc = { .bc_ev = ev };
	struct paired pd;

	if (paired_split(&pd, ev)) {
		bc.bc_entry = &pd.pd_first;
		bc.bc_ret = ev->ev_ret != NULL ? &pd.pd_second : NULL;
	} else if (ev->ev_ret != NULL)
		bc.bc_ret = ev;
	else
		bc.bc_entry = ev;
	tally_call(ta, &bc);
}

/* A call whose return was lost, or has not come. */
static void
tally_drop(struct tally *ta, struct pair_call *pa)
{
	tally_one(ta, &pa->pa_ev);
	pair_drop(ta->ta_pairs, pa);
}

static void
tally_return(struct tally *ta, struct pair_call *pa, const struct dt_event *ev)
{
	tally_call(ta,
	    &(struct by_call){ .bc_ev = ev,
		.bc_entry = &pa->pa_ev,
		.bc_ret = ev });
	pair_drop(ta->ta_pairs, pa);
}

/* Calls count when they return; what has no other side, or no room to wait for
 * it, counts by itself. */
static void
tally_pair(struct tally *ta, const struct dt_event *ev)
{
	struct by_side side = by_side(ta->ta_by, ev), other;
	struct pair_key key = { ev->ev_rec->dr_tid, side.bs_kind };
	struct pair_call *pa = NULL;

	if (side.bs_isentry || side.bs_isreturn)
		pa = pair_find(ta->ta_pairs, key);
	if (pa != NULL && side.bs_isreturn) {
		other = by_side(ta->ta_by, &pa->pa_ev);
		if (strcmp(side.bs_func, other.bs_func) == 0) {
			tally_return(ta, pa, ev);
			return;
		}
	}
	if (pa != NULL)
		tally_drop(ta, pa);
	if (!side.bs_isentry || pair_put(ta->ta_pairs, key, ev) == NULL)
		tally_one(ta, ev);
}

void
tally_first(struct tally *ta, const void *key, size_t len)
{
	tally_count(ta, key, len);
}

void
tally_any(struct tally *ta, const struct dt_event *ev)
{
	if (!by_wants_calls(ta->ta_by) || ev->ev_duration != NULL) {
		tally_one(ta, ev);
		return;
	}
	if (ta->ta_pairs == NULL &&
	    (ta->ta_pairs = calloc(1, sizeof(*ta->ta_pairs))) == NULL)
		err(1, "calls");
	tally_pair(ta, ev);
}

void
tally_end(struct tally *ta)
{
	struct pair_call *pa;

	while (ta->ta_pairs != NULL &&
	    (pa = pair_each(ta->ta_pairs, 0, NULL)) != NULL)
		tally_drop(ta, pa);
}

/* The highest sum first, if there are sums, then the highest count. */
static int
tally_compare(const void *va, const void *vb, void *arg)
{
	const struct hash_entry *a = *(struct hash_entry *const *)va;
	const struct hash_entry *b = *(struct hash_entry *const *)vb;
	const struct tally *ta = arg;

	if (!ta->ta_ishist && a->he_sum != b->he_sum)
		return a->he_sum < b->he_sum ? 1 : -1;
	if (a->he_count != b->he_count)
		return a->he_count < b->he_count ? 1 : -1;
	return by_compare(ta->ta_by, a->he_key, b->he_key);
}

void
tally_counts(struct tally *ta, struct out_counts *ot, uint64_t nsecs,
    int isinterval)
{
	struct hash_entry **list;
	struct out_count *counts;
	size_t i;

	*ot = (struct out_counts){
		.ot_by = ta->ta_by,
		.ot_n = ta->ta_map.ha_n,
		.ot_nothers = ta->ta_nothers,
		.ot_othersum = ta->ta_othersum,
		.ot_nsecs = nsecs,
		.ot_isinterval = isinterval,
		.ot_ishist = ta->ta_ishist,
	};
	list = hash_sorted_by(&ta->ta_map, tally_compare, ta);
	clock_gettime(CLOCK_REALTIME, &ot->ot_end);
	if ((counts = calloc(ot->ot_n + 1, sizeof(*counts))) == NULL)
		err(1, "counts");
	for (i = 0; i < ot->ot_n; i++) {
		counts[i].oc_key = list[i]->he_key;
		counts[i].oc_count = list[i]->he_count;
		if (!ta->ta_ishist)
			counts[i].oc_sum = list[i]->he_sum;
		else if ((counts[i].oc_hist = list[i]->he_ptr) != NULL)
			counts[i].oc_sum = counts[i].oc_hist->hi_sum;
	}
	ot->ot_counts = counts;
	free(list);
}

void
tally_next(struct tally *ta, struct out_counts *ot)
{
	free((void *)ot->ot_counts);
	ot->ot_counts = NULL;
	tally_clear(ta);
}
