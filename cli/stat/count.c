/* SPDX-License-Identifier: ISC */
/* Counts events by key, and joins calls for that. */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/hist.h"
#include "cli/calls/kernel_pair.h"
#include "cli/stat/count.h"

void
count_init(struct count *ta, struct keys *by, uint64_t maxkeys, int ishist)
{
	memset(ta, 0, sizeof(*ta));
	ta->cnt_by = by;
	ta->cnt_isshort = keys_is_short(by);
	ta->cnt_ishist = ishist;
	ta->cnt_maxkeys = maxkeys != 0 ? maxkeys : COUNT_MAXKEYS;
}

/* Clears the counts. */
static void
count_clear(struct count *ta)
{
	if (ta->cnt_ishist)
		hash_free(&ta->cnt_map);
	else
		hash_clear(&ta->cnt_map);
	ta->cnt_nbytes = ta->cnt_nothers = ta->cnt_othersum = 0;
	ta->cnt_nfull = 0;
}

void
count_free(struct count *ta)
{
	if (ta->cnt_pairs != NULL)
		call_table_free(ta->cnt_pairs);
	free(ta->cnt_pairs);
	ta->cnt_pairs = NULL;
	count_clear(ta);
	keys_free(ta->cnt_by);
	ta->cnt_by = NULL;
}

static void
count_add(int64_t *sum, int64_t v)
{
	if (__builtin_add_overflow(*sum, v, sum))
		*sum = v < 0 ? INT64_MIN : INT64_MAX;
}

/* Adds a key, or returns NULL if a limit is reached. */
static struct hash_entry *
count_new(struct count *ta, const void *key, size_t len)
{
	if (ta->cnt_map.ha_n >= ta->cnt_maxkeys ||
	    ta->cnt_nbytes >= COUNT_MAXBYTES)
		return NULL;
	ta->cnt_nbytes += len;
	key_keep(ta->cnt_by, key);
	return hash_get(&ta->cnt_map, key, len);
}

/* Counts n hits of a key, and returns its entry or NULL.  Most keys exist. */
static struct hash_entry *
count_key(struct count *ta, const void *key, size_t len, uint64_t n)
{
	struct hash_entry *e = hash_find(&ta->cnt_map, key, len);

	if (e != NULL || (e = count_new(ta, key, len)) != NULL)
		e->he_count += n;
	else
		ta->cnt_nothers += n;
	return e;
}

static struct hist *
count_hist(struct count *ta, struct hash_entry *e)
{
	if (e->he_ptr == NULL) {
		if ((e->he_ptr = calloc(1, sizeof(struct hist))) == NULL)
			err(1, "counts");
		ta->cnt_nbytes += sizeof(struct hist);
	}
	return e->he_ptr;
}

static void
count_call(struct count *ta, const struct key_call *bc)
{
	struct hash_entry *e;
	int64_t v;

	e = count_key(ta, ta->cnt_key, key_make(ta->cnt_by, bc, ta->cnt_key),
	    1);
	if (!key_sum(ta->cnt_by, bc, &v))
		return;
	if (ta->cnt_ishist && e != NULL)
		hist_add(count_hist(ta, e), v);
	else
		count_add(e != NULL ? &e->he_sum : &ta->cnt_othersum, v);
}

/* Finds the events of a call, of which one is counted. */
static void
count_split(const struct dt_event *ev, struct kernel_pair *pd,
    struct key_call *bc)
{
	*bc = (struct key_call){ .kc_ev = ev };
	if (ev->ev_duration != NULL) {
		kernel_pair_split(pd, ev);
		bc->kc_entry = &pd->kpr_first;
		bc->kc_ret = ev->ev_ret != NULL ? &pd->kpr_second : NULL;
	} else if (ev->ev_ret != NULL)
		bc->kc_ret = ev;
	else
		bc->kc_entry = ev;
}

static void
count_one(struct count *ta, const struct dt_event *ev)
{
	struct kernel_pair pd;
	struct key_call bc;

	count_split(ev, &pd, &bc);
	count_call(ta, &bc);
}

void
count_hits(struct count *ta, const struct dt_event *ev,
    const struct count_hits *ch)
{
	struct hash_entry *e;
	struct kernel_pair pd;
	struct key_call bc;

	count_split(ev, &pd, &bc);
	e = count_key(ta, ta->cnt_key, key_make(ta->cnt_by, &bc, ta->cnt_key),
	    ch->chi_n);
	if (ch->chi_hassum)
		count_add(e != NULL ? &e->he_sum : &ta->cnt_othersum,
		    ch->chi_sum);
}

void
count_full(struct count *ta, uint64_t n)
{
	ta->cnt_nfull += n;
}

/* Counts a call whose return was lost or is pending. */
static void
count_drop(struct count *ta, struct table_call *pa)
{
	count_one(ta, &pa->tc_ev);
	call_table_drop(ta->cnt_pairs, pa);
}

static void
count_return(struct count *ta, struct table_call *pa, const struct dt_event *ev)
{
	count_call(ta,
	    &(struct key_call){ .kc_ev = ev,
		.kc_entry = &pa->tc_ev,
		.kc_ret = ev });
	call_table_drop(ta->cnt_pairs, pa);
}

/*
 * Counts calls at their return; an event without the other side, or with a full
 * table of pending calls, is counted on its own.
 */
static void
count_pair(struct count *ta, const struct dt_event *ev)
{
	struct key_side side = key_side(ta->cnt_by, ev), other;
	struct call_key key = { ev->ev_rec->dr_tid, side.kx_kind };
	struct table_call *pa = NULL;

	if (side.kx_isentry || side.kx_isreturn)
		pa = call_table_find(ta->cnt_pairs, key);
	if (pa != NULL && side.kx_isreturn) {
		other = key_side(ta->cnt_by, &pa->tc_ev);
		if (strcmp(side.kx_func, other.kx_func) == 0) {
			count_return(ta, pa, ev);
			return;
		}
	}
	if (pa != NULL)
		count_drop(ta, pa);
	if (!side.kx_isentry || call_table_put(ta->cnt_pairs, key, ev) == NULL)
		count_one(ta, ev);
}

void
count_first(struct count *ta, const void *key, size_t len)
{
	count_key(ta, key, len, 1);
}

void
count_any(struct count *ta, const struct dt_event *ev)
{
	if (!keys_wants_calls(ta->cnt_by) || ev->ev_duration != NULL) {
		count_one(ta, ev);
		return;
	}
	if (ta->cnt_pairs == NULL &&
	    (ta->cnt_pairs = calloc(1, sizeof(*ta->cnt_pairs))) == NULL)
		err(1, "calls");
	count_pair(ta, ev);
}

void
count_end(struct count *ta)
{
	struct table_call *pa;

	while (ta->cnt_pairs != NULL &&
	    (pa = call_table_each(ta->cnt_pairs, 0, NULL)) != NULL)
		count_drop(ta, pa);
}

/* Orders by descending sum, if there are sums, then by descending count. */
static int
count_compare(const void *va, const void *vb, void *arg)
{
	const struct hash_entry *a = *(struct hash_entry *const *)va;
	const struct hash_entry *b = *(struct hash_entry *const *)vb;
	const struct count *ta = arg;

	if (!ta->cnt_ishist && a->he_sum != b->he_sum)
		return a->he_sum < b->he_sum ? 1 : -1;
	if (a->he_count != b->he_count)
		return a->he_count < b->he_count ? 1 : -1;
	return key_compare(ta->cnt_by, a->he_key, b->he_key);
}

void
count_result(struct count *ta, struct out_counts *ot, uint64_t nsecs,
    int isinterval)
{
	struct hash_entry **list;
	struct out_count *counts;
	size_t i;

	*ot = (struct out_counts){
		.ot_by = ta->cnt_by,
		.ot_n = ta->cnt_map.ha_n,
		.ot_nothers = ta->cnt_nothers,
		.ot_othersum = ta->cnt_othersum,
		.ot_nfull = ta->cnt_nfull,
		.ot_nsecs = nsecs,
		.ot_isinterval = isinterval,
		.ot_ishist = ta->cnt_ishist,
	};
	list = hash_sorted_by(&ta->cnt_map, count_compare, ta);
	clock_gettime(CLOCK_REALTIME, &ot->ot_end);
	if ((counts = calloc(ot->ot_n + 1, sizeof(*counts))) == NULL)
		err(1, "counts");
	for (i = 0; i < ot->ot_n; i++) {
		counts[i].oc_key = list[i]->he_key;
		counts[i].oc_count = list[i]->he_count;
		if (!ta->cnt_ishist)
			counts[i].oc_sum = list[i]->he_sum;
		else if ((counts[i].oc_hist = list[i]->he_ptr) != NULL)
			counts[i].oc_sum = counts[i].oc_hist->hi_sum;
	}
	ot->ot_counts = counts;
	free(list);
}

void
count_next(struct count *ta, struct out_counts *ot)
{
	free((void *)ot->ot_counts);
	ot->ot_counts = NULL;
	count_clear(ta);
}
