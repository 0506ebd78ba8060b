/* SPDX-License-Identifier: ISC */
/*
 * Counts a hit by its key, in place of an event.  Runs after all filters,
 * conditions and pairs.
 *
 * Each session has a table of counts, a preallocated hash.  dtd takes a
 * snapshot by replacing the table with an empty one and reading the old one
 * after a grace period, so each hit is in exactly one snapshot.
 *
 * The kernel calls a program again if a hit occurs in an interrupt of another,
 * so rows change by atomic operations only.
 */
#ifndef BPF_DT_AGG_BPF_H
#define BPF_DT_AGG_BPF_H

#include "bpf/dt_agg_table.h"
#include "bpf/dt_cond.bpf.h"

/* Tries of a compare-and-exchange: each failure is a hit in an interrupt. */
#define AGG_TRIES  8

#define AGG_E2BIG  7
#define AGG_EBUSY  16
#define AGG_EEXIST 17

/* Returns the position of the highest bit of a number that is not 0. */
static __always_inline __u32
agg_log2(__u64 v)
{
	__u32 n, s;

	n = (v > 0xffffffff) << 5;
	v >>= n;
	s = (v > 0xffff) << 4;
	v >>= s;
	n |= s;
	s = (v > 0xff) << 3;
	v >>= s;
	n |= s;
	s = (v > 0xf) << 2;
	v >>= s;
	n |= s;
	s = (v > 0x3) << 1;
	v >>= s;
	n |= s;
	return n | (v >> 1);
}

/* Returns the bucket of a value among 2^sub for each power of two. */
static __always_inline __u64
agg_log_bucket(__s64 value, __u32 sub)
{
	__u64 sign = value < 0 ? DT_AGG_NEGATIVE : 0;
	__u64 v = value < 0 ? -(__u64)value : (__u64)value;
	__u32 log;

	sub &= 7;
	if (v >> sub == 0)
		return DT_AGG_FIRST + v + sign;
	log = agg_log2(v);
	return DT_AGG_FIRST + ((__u64)(log - sub + 1) << sub) +
	    ((v >> ((log - sub) & 63)) & ((1U << sub) - 1)) + sign;
}

/* Returns the bucket of a value: the first and the last are open. */
static __always_inline __u64
agg_linear_bucket(const struct dt_aggdesc *ad, __s64 value)
{
	__u64 n;

	if (value < ad->agd_min)
		return DT_AGG_FIRST;
	n = ((__u64)value - (__u64)ad->agd_min) / ad->agd_step;
	if (n > ad->agd_nsteps)
		n = ad->agd_nsteps;
	return DT_AGG_FIRST + 1 + n;
}

/* Stores a hit's value; returns its bucket. */
static __always_inline __u64
agg_value(const struct dt_aggdesc *ad, struct dt_hit *h, __s64 *value)
{
	*value = 0;
	if ((ad->agd_bits & DT_AGG_VALUE) == 0 ||
	    ((ad->agd_bits & DT_AGG_OKONLY) && h->h_ret.drr_error != 0))
		return DT_AGG_NOVALUE;
	*value = cond_value(h, &ad->agd_value);
	if (ad->agd_hist == DT_AGG_LOG)
		return agg_log_bucket(*value, ad->agd_sub);
	if (ad->agd_hist == DT_AGG_LINEAR)
		return agg_linear_bucket(ad, *value);
	return DT_AGG_FIRST;
}

/*
 * Fills in the words of a key.  A name takes two words; dtd has checked that
 * all parts fit.  Returns the number of words.
 */
static __always_inline void
agg_key(const struct dt_aggdesc *ad, struct dt_hit *h, struct dt_aggkey *k)
{
	const struct dt_look *lo;
	__u32 n = 0, i;

	for (i = 0; i < DT_AGG_NPARTS && i < ad->agd_nparts; i++) {
		lo = &ad->agd_part[i];
		if (n >= DT_AGG_NWORDS)
			break; /* unreachable */
		if (lo->lo_how == DT_LOOK_COMM) {
			k->agk_word[n++] = h->h_comm[0];
			if (n < DT_AGG_NWORDS)
				k->agk_word[n++] = h->h_comm[1];
		} else if (lo->lo_how == DT_LOOK_CGROUP)
			k->agk_word[n++] = bpf_get_current_cgroup_id();
		else
			k->agk_word[n++] = cond_value(h, lo);
	}
}

static __always_inline void
agg_row_min(__s64 *p, __s64 v)
{
	__s64 old;
	int i;

	for (i = 0; i < AGG_TRIES; i++) {
		old = *(volatile __s64 *)p;
		if (v >= old || __sync_val_compare_and_swap(p, old, v) == old)
			break;
	}
}

static __always_inline void
agg_row_max(__s64 *p, __s64 v)
{
	__s64 old;
	int i;

	for (i = 0; i < AGG_TRIES; i++) {
		old = *(volatile __s64 *)p;
		if (v <= old || __sync_val_compare_and_swap(p, old, v) == old)
			break;
	}
}

static __always_inline void
agg_row_add(struct dt_aggrow *row, __s64 value, __u32 hasvalue)
{
	__sync_fetch_and_add(&row->agr_count, 1);
	if (!hasvalue)
		return;
	__sync_fetch_and_add(&row->agr_sum, value);
	agg_row_min(&row->agr_min, value);
	agg_row_max(&row->agr_max, value);
}

/*
 * Adds a row for a new key.  Returns 0 or an errno: E2BIG if the table is full,
 * any other if the hit has interrupted another one that adds a row.
 */
static __always_inline int
agg_row_new(void *table, const struct dt_aggkey *k, __s64 value, __u32 hasvalue)
{
	struct dt_aggrow *row, new = { 1, value, value, value };
	int error;

	/* before Linux 6.4 the upper half of the result is undefined */
	error = -(int)bpf_map_update_elem(table, k, &new, BPF_NOEXIST);
	if (error != AGG_EEXIST)
		return error;
	/* a hit in an interrupt has added it */
	row = bpf_map_lookup_elem(table, k);
	if (row == NULL)
		return AGG_EBUSY; /* unreachable: rows are not removed */
	agg_row_add(row, value, hasvalue);
	return 0;
}

/*
 * Counts a hit for a session; n: number of the aggregation plus one, as in
 * struct dt_req.  Returns 0.
 */
__noinline int
dt_agg_hit(struct dt_hit *h, __u32 n, __u32 slot)
{
	__u32 place = DT_AGGDESC(slot, n - 1);
	struct dt_aggkey k = {};
	struct dt_aggdesc *ad;
	struct dt_aggrow *row;
	struct dt_count *c;
	void *table;
	__s64 value;
	int error;

	if (h == NULL ||
	    (ad = bpf_map_lookup_elem(&dt_aggdescs, &place)) == NULL)
		return 0;
	table = bpf_map_lookup_elem(&dt_aggs, &slot);
	c = dt_count_of(slot, h->h_cpu);
	if (table == NULL || c == NULL)
		return 0; /* unreachable */
	agg_key(ad, h, &k);
	k.agk_bucket = agg_value(ad, h, &value);
	k.agk_cpu = h->h_cpu;
	row = bpf_map_lookup_elem(table, &k);
	if (row != NULL) {
		agg_row_add(row, value, k.agk_bucket != DT_AGG_NOVALUE);
		__sync_fetch_and_add(&c->dc_counted, 1);
		if (c->dc_counted % DT_AGG_VOTE == 0)
			c->dc_hitpbn = h->h_pbn;
		return 0;
	}
	error = agg_row_new(table, &k, value, k.agk_bucket != DT_AGG_NOVALUE);
	if (error == 0) {
		__sync_fetch_and_add(&c->dc_counted, 1);
		return 0;
	}
	__sync_fetch_and_add(&c->dc_fired, 1);
	if (error == AGG_E2BIG)
		__sync_fetch_and_add(&c->dc_mapfull, 1);
	else
		__sync_fetch_and_add(&c->dc_recursed, 1);
	return 0;
}

#endif /* BPF_DT_AGG_BPF_H */
