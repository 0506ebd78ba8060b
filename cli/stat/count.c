/* SPDX-License-Identifier: ISC */
/* Counts events by key, and joins calls for that. */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/calls/kernel_pair.h"
#include "cli/stat/count.h"

int
count_wants_value(const struct count_opts *co)
{
	return co->cno_hist || co->cno_avg || co->cno_min || co->cno_max ||
	    co->cno_quantiles || co->cno_times;
}

static unsigned int
count_stats(const struct count_opts *co)
{
	unsigned int stats = 0;

	if (co->cno_avg)
		stats |= 1U << HIST_AVG;
	if (co->cno_min)
		stats |= 1U << HIST_MIN;
	if (co->cno_max)
		stats |= 1U << HIST_MAX;
	if (co->cno_quantiles || co->cno_hist)
		stats |= HIST_PERCENTILES | 1U << HIST_MAX;
	if (co->cno_times)
		stats |= 1U << HIST_AVG | 1U << HIST_P99 | 1U << HIST_MAX;
	return stats;
}

void
count_init(struct count *ta, struct keys *by, const struct count_opts *co)
{
	memset(ta, 0, sizeof(*ta));
	ta->cnt_by = by;
	ta->cnt_isshort = keys_is_short(by);
	ta->cnt_ishist = co->cno_hist;
	ta->cnt_stats = count_stats(co);
	ta->cnt_istimes = co->cno_times;
	ta->cnt_hashists = ta->cnt_stats != 0;
	ta->cnt_hasbuckets = (ta->cnt_stats & HIST_PERCENTILES) != 0;
	ta->cnt_istotal = co->cno_istotal;
	ta->cnt_iscalls = co->cno_iscalls;
	ta->cnt_maxkeys = co->cno_maxkeys != 0 ? co->cno_maxkeys
					       : COUNT_MAXKEYS;
}

static void
count_hist_free(void *hi)
{
	hist_clear(hi);
	free(hi);
}

/* Clears the counts. */
static void
count_clear(struct count *ta)
{
	if (ta->cnt_hashists)
		dt_hash_free(&ta->cnt_map, count_hist_free);
	else
		hash_clear(&ta->cnt_map);
	ta->cnt_nbytes = ta->cnt_nothers = ta->cnt_othersum = 0;
	ta->cnt_nfull = 0;
	hist_clear(&ta->cnt_otherhist);
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

/* Adds values to an entry, or to the sum of all others if it is NULL. */
static void
count_values(struct count *ta, struct hash_entry *e, const struct hist_part *hp)
{
	if (e == NULL) {
		count_add(&ta->cnt_othersum, hp->hp_sum);
		if (ta->cnt_hasbuckets)
			(void)hist_put(&ta->cnt_otherhist, hp);
	} else if (!ta->cnt_hashists)
		count_add(&e->he_sum, hp->hp_sum);
	else if (ta->cnt_hasbuckets)
		ta->cnt_nbytes += hist_put(count_hist(ta, e), hp);
	else
		hist_note(count_hist(ta, e), hp);
}

/* Counts a call by the key in cnt_key; returns the key's length. */
static size_t
count_call(struct count *ta, const struct key_call *bc)
{
	size_t len = key_make(ta->cnt_by, bc, ta->cnt_key);
	struct hash_entry *e = count_key(ta, ta->cnt_key, len, 1);
	int64_t v;

	if (key_sum(ta->cnt_by, bc, &v))
		count_values(ta, e, &(struct hist_part){ 1, v, v, v });
	return len;
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

const void *
count_keyed(struct count *ta, const struct dt_event *ev, size_t *len)
{
	struct kernel_pair pd;
	struct key_call bc;

	count_split(ev, &pd, &bc);
	*len = count_call(ta, &bc);
	return ta->cnt_key;
}

static void
count_one(struct count *ta, const struct dt_event *ev)
{
	size_t len;

	count_keyed(ta, ev, &len);
}

void
count_key_hits(struct count *ta, const void *key, size_t len, uint64_t n,
    const struct hist_part *hp)
{
	struct hash_entry *e = count_key(ta, key, len, n);

	if (hp != NULL)
		count_values(ta, e, hp);
}

void
count_hits(struct count *ta, const struct dt_event *ev, uint64_t n,
    const struct hist_part *hp)
{
	struct kernel_pair pd;
	struct key_call bc;

	count_split(ev, &pd, &bc);
	count_key_hits(ta, ta->cnt_key, key_make(ta->cnt_by, &bc, ta->cnt_key),
	    n, hp);
}

void
count_others(struct count *ta, uint64_t n)
{
	ta->cnt_nothers += n;
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
	if (pa != NULL && side.kx_isreturn && ev->ev_ret != NULL) {
		other = key_side(ta->cnt_by, &pa->tc_ev);
		if (strcmp(side.kx_func, other.kx_func) == 0) {
			count_call(ta,
			    &(struct key_call){ .kc_ev = ev,
				.kc_entry = &pa->tc_ev,
				.kc_ret = ev });
			call_table_drop(ta->cnt_pairs, pa);
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
	const int iscalls = ta->cnt_iscalls || keys_wants_calls(ta->cnt_by);

	if (!iscalls || ev->ev_duration != NULL) {
		count_one(ta, ev);
		return;
	}
	if (ta->cnt_pairs == NULL) {
		if ((ta->cnt_pairs = malloc(sizeof(*ta->cnt_pairs))) == NULL)
			err(1, "calls");
		call_table_init(ta->cnt_pairs);
	}
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

static int64_t
count_sum(const struct count *ta, const struct hash_entry *e)
{
	const struct hist *hi;

	if (!ta->cnt_hashists)
		return e->he_sum;
	hi = e->he_ptr;
	return hi != NULL ? hi->hi_sum : 0;
}

/*
 * Orders by descending sum, if there are sums without histograms, then by
 * descending count.
 */
static int
count_compare(const void *va, const void *vb, void *arg)
{
	const struct hash_entry *a = *(struct hash_entry *const *)va;
	const struct hash_entry *b = *(struct hash_entry *const *)vb;
	const struct count *ta = arg;
	int64_t suma = count_sum(ta, a), sumb = count_sum(ta, b);

	if (!ta->cnt_ishist && suma != sumb)
		return suma < sumb ? 1 : -1;
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
		.ot_otherhist = &ta->cnt_otherhist,
		.ot_nfull = ta->cnt_nfull,
		.ot_nsecs = nsecs,
		.ot_isinterval = isinterval,
		.ot_ishist = ta->cnt_ishist,
		.ot_stats = ta->cnt_stats,
		.ot_istimes = ta->cnt_istimes,
	};
	list = hash_sorted_by(&ta->cnt_map, count_compare, ta);
	clock_gettime(CLOCK_REALTIME, &ot->ot_end);
	if ((counts = calloc(ot->ot_n + 1, sizeof(*counts))) == NULL)
		err(1, "counts");
	for (i = 0; i < ot->ot_n; i++) {
		counts[i].oc_key = list[i]->he_key;
		counts[i].oc_count = list[i]->he_count;
		counts[i].oc_sum = count_sum(ta, list[i]);
		if (ta->cnt_hashists)
			counts[i].oc_hist = list[i]->he_ptr;
	}
	ot->ot_counts = counts;
	free(list);
}

void
count_next(struct count *ta, struct out_counts *ot)
{
	free((void *)ot->ot_counts);
	ot->ot_counts = NULL;
	if (!ta->cnt_istotal)
		count_clear(ta);
}
