/* SPDX-License-Identifier: ISC */
/*
 * Counts a hit by its key, in place of an event.  Runs after all filters,
 * conditions and pairs.
 *
 * Each session has a table of counts.  dtd takes a snapshot by replacing the
 * table with an empty one and reading the old one after a grace period, so each
 * hit is in exactly one snapshot.
 *
 * The table is not a hash of the kernel: that would take a lock for each new
 * key, which a hit in an interrupt cannot have, and is slower.  Nothing waits
 * here.  A row belongs to the program that took it until its key and first hit
 * are in it; only then a slot refers to it.  A hit in an interrupt may take
 * another row for the same key, and rows whose slots are all taken are found by
 * no later hit.  Both only use up rows, as all rows are read and added up.
 *
 * The kernel calls a program again if a hit occurs in an interrupt of another,
 * so rows change by atomic operations only.
 */
#ifndef BPF_DT_AGG_BPF_H
#define BPF_DT_AGG_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include <bpf/bpf_core_read.h>

#include "bpf/dt_agg_table.h"
#include "bpf/dt_cond.bpf.h"

/* Tries of a compare-and-exchange: each failure is a hit in an interrupt. */
#define AGG_TRIES 8
/* Slots in which a row may be.  The table is at most half full. */
#define AGG_PROBES 16

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
	if (ad->agd_divisor != 0)
		*value = (__u64)*value / ad->agd_divisor;
	if (ad->agd_hist == DT_AGG_LOG)
		return agg_log_bucket(*value, ad->agd_sub);
	if (ad->agd_hist == DT_AGG_LINEAR)
		return agg_linear_bucket(ad, *value);
	return DT_AGG_FIRST;
}

/*
 * Returns the id of a socket's cgroup, which it got from the process that created
 * it; 0: unknown.
 */
static __noinline __u64
agg_socket(__u64 addr)
{
	struct sock *sk = (struct sock *)addr;
	struct kernfs_node *kn = NULL;
	struct cgroup *cg = NULL;
	__u64 id = 0;

	if (!bpf_core_field_exists(sk->sk_cgrp_data))
		return 0; /* a kernel without cgroups of sockets */
	bpf_core_read(&cg, sizeof(cg), &sk->sk_cgrp_data.cgroup);
	bpf_core_read(&kn, sizeof(kn), &cg->kn);
	bpf_core_read(&id, sizeof(id), &kn->id);
	return id;
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
		else if (lo->lo_how == DT_LOOK_SOCKET)
			k->agk_word[n++] = agg_socket(cond_raw(h, lo));
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

/* Large odd numbers without a pattern. */
#define AGG_MIX0 0x9e3779b97f4a7c15ULL
#define AGG_MIX1 0xc2b2ae3d27d4eb4fULL
#define AGG_MIX2 0x165667b19e3779f9ULL
#define AGG_MIX3 0xd6e8feb86659fd93ULL
#define AGG_MIX4 0xa0761d6478bd642fULL
#define AGG_MIX5 0xe7037ed1a0b428dbULL

_Static_assert(DT_AGG_NWORDS == 5, "agg_hash() has all words");

/* The products do not wait for each other. */
static __always_inline __u32
agg_hash(const struct dt_aggkey *k)
{
	__u64 h = k->agk_word[0] * AGG_MIX0 + k->agk_word[1] * AGG_MIX1 +
	    k->agk_word[2] * AGG_MIX2 + k->agk_word[3] * AGG_MIX3 +
	    k->agk_word[4] * AGG_MIX4 + k->agk_bucket * AGG_MIX5;

	h = (h ^ h >> 32) * AGG_MIX1;
	return h >> 32;
}

/* Returns whether two keys are equal, without branches. */
static __always_inline int
agg_same(const struct dt_aggkey *a, const struct dt_aggkey *b)
{
	__u64 differ = a->agk_bucket ^ b->agk_bucket;
	__u32 i;

#pragma unroll
	for (i = 0; i < DT_AGG_NWORDS; i++)
		differ |= a->agk_word[i] ^ b->agk_word[i];
	return differ == 0;
}

/* Returns the slot of the i-th probe of a hash. */
static __always_inline __u32
agg_probe(const struct dt_aggdesc *ad, __u32 hash, __u32 i)
{
	return (hash + i * (i + 1) / 2) & (DT_AGG_SLOTS * ad->agd_nrows - 1);
}

/*
 * Returns a slot by its number.  place, here and below: space for the key of a
 * look-up, shared by all of them because the verifier limits the stack.
 */
static __always_inline __u64 *
agg_slot(void *table, __u32 at, __u32 *place)
{
	struct dt_aggelem *el;

	*place = at / DT_AGG_SLOTS;
	el = bpf_map_lookup_elem(table, place);
	return el != NULL ? &el->age_slot[at % DT_AGG_SLOTS] : NULL;
}

/* Finds the row of a key.  Returns NULL if there is none. */
static __always_inline struct dt_aggrow *
agg_find(void *table, const struct dt_aggdesc *ad, const struct dt_aggkey *k,
    __u32 hash, __u32 *place)
{
	struct dt_aggelem *el;
	__u64 *slot, at;
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < AGG_PROBES; i++) {
		slot = agg_slot(table, agg_probe(ad, hash, i), place);
		if (slot == NULL || (at = *(volatile __u64 *)slot) == 0)
			break;
		if (at >> 32 != hash)
			continue;
		*place = (__u32)at - 1;
		el = bpf_map_lookup_elem(table, place);
		if (el != NULL && agg_same(&el->age_key, k))
			return &el->age_row;
	}
	return NULL;
}

/* Takes the next row and stores its number; NULL if none is left. */
static __always_inline struct dt_aggelem *
agg_take(void *table, const struct dt_aggdesc *ad, __u32 *place)
{
	struct dt_aggelem *el;
	__u64 *nused, n;

	*place = ad->agd_nrows;
	if ((el = bpf_map_lookup_elem(table, place)) == NULL)
		return NULL; /* unreachable */
	nused = &el->age_slot[0];
	/* at most one more for each program that runs now */
	if (*(volatile __u64 *)nused >= ad->agd_max ||
	    (n = __sync_fetch_and_add(nused, 1)) >= ad->agd_max)
		return NULL;
	*place = n;
	return bpf_map_lookup_elem(table, place);
}

/* Makes a free slot refer to a row; at: the slot's content. */
static __always_inline void
agg_publish(void *table, const struct dt_aggdesc *ad, __u64 at,
    struct dt_aggelem *el, __u32 *place)
{
	__u32 i, probe;
	__u64 *slot;

	for (i = 0; i < AGG_PROBES; i++) {
		probe = agg_probe(ad, at >> 32, i);
		slot = agg_slot(table, probe, place);
		if (slot == NULL)
			break; /* unreachable */
		/* also a barrier: the row is complete */
		if (__sync_val_compare_and_swap(slot, 0, at) == 0) {
			el->age_at = probe + 1;
			break;
		}
	}
}

/* Makes a row of a new key.  Returns whether there was space for it. */
static __always_inline int
agg_add(void *table, const struct dt_aggdesc *ad, const struct dt_aggkey *k,
    __u32 hash, struct dt_aggrow first, __u32 *place)
{
	struct dt_aggelem *el;

	if ((el = agg_take(table, ad, place)) == NULL)
		return 0;
	el->age_key = *k;
	el->age_row = first;
	el->age_at = 0;
	agg_publish(table, ad, (__u64)hash << 32 | (*place + 1), el, place);
	return 1;
}

/* Adds a hit to the ledger. */
static __always_inline void
agg_ledger(const struct dt_hit *h, __u32 slot, int isfull, __u32 *place)
{
	struct dt_count *c;

	*place = dt_place_of(slot, h->h_cpu);
	c = bpf_map_lookup_elem(&dt_counts, place);
	if (c == NULL)
		return; /* unreachable */
	if (isfull) {
		__sync_fetch_and_add(&c->dc_fired, 1);
		__sync_fetch_and_add(&c->dc_mapfull, 1);
		return;
	}
	if (__sync_fetch_and_add(&c->dc_counted, 1) % DT_AGG_VOTE == 0)
		c->dc_hitpbn = h->h_pbn;
}

/*
 * Counts a hit for a session; n: number of the aggregation plus one, as in
 * struct dt_req.  Returns 0.
 */
__noinline int
dt_agg_hit(struct dt_hit *h, __u32 n, __u32 slot)
{
	__u32 place = DT_AGGDESC(slot, n - 1), hash;
	struct dt_aggkey k = {}, *kp = &k;
	struct dt_aggdesc *ad;
	struct dt_aggrow *row;
	void *table;
	__s64 value;
	int isfull = 0;

	if (h == NULL ||
	    (ad = bpf_map_lookup_elem(&dt_aggdescs, &place)) == NULL)
		return 0;
	place = slot;
	if ((table = bpf_map_lookup_elem(&dt_aggs, &place)) == NULL)
		return 0; /* unreachable */
	agg_key(ad, h, &k);
	k.agk_bucket = agg_value(ad, h, &value) |
	    (__u64)h->h_cpu << DT_AGG_CPUSHIFT;
	hash = agg_hash(&k);
	barrier_var(kp); /* prevents a copy of the key on the stack */
	row = agg_find(table, ad, kp, hash, &place);
	if (row != NULL)
		agg_row_add(row, value,
		    DT_AGG_BUCKET(kp->agk_bucket) != DT_AGG_NOVALUE);
	else
		isfull = !agg_add(table, ad, kp, hash,
		    (struct dt_aggrow){ 1, value, value, value }, &place);
	agg_ledger(h, slot, isfull, &place);
	return 0;
}

#endif /* BPF_DT_AGG_BPF_H */
