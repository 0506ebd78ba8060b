/* SPDX-License-Identifier: ISC */
/*
 * Pairs of probes: a hit of the first is kept, in the open's own table, until
 * the second is hit with the same keys.  Then there is one event, of the
 * second, with the arguments of the first and the time between them.
 *
 * The tables are hashes in a map of maps, an open's at its slot: what one open
 * keeps takes no room from the others.  What finds no room is counted.
 *
 * Of two hits of the second at once only one gets the first: who deletes it.
 */
#ifndef BPF_DT_PAIR_BPF_H
#define BPF_DT_PAIR_BPF_H

#include "dt_emit.bpf.h"

/* A number that has to be the same in both hits. */
static __always_inline __u64
pair_value(const struct dt_hit *h, const struct dt_look *lo, __u64 mask)
{
	__u32 unused = (64 - 8 * lo->lo_size) & 63;
	__u64 v = cond_number(h, lo) << unused;

	return (lo->lo_issigned ? (__u64)((__s64)v >> unused) : v >> unused) &
	    mask;
}

/* The key of a hit's entry.  side: 0 of the first, 1 of the second. */
static __always_inline void
pair_key(struct dt_pairkey *pk, const struct dt_hit *h,
    const struct dt_pairdesc *pd, const struct dt_req *r, __u32 slot,
    const int side)
{
	const struct dt_open *o = &dt_table.t_open[slot & (DT_MAXOPEN - 1)];

	pk->pk_value[0] = pair_value(h, &pd->pd_key[side][0], pd->pd_mask[0]);
	pk->pk_value[1] = pair_value(h, &pd->pd_key[side][1], pd->pd_mask[1]);
	pk->pk_pair = r->dr_pairno;
	pk->pk_run = o->do_run;
}

static __always_inline struct dt_pairdesc *
pair_desc(const struct dt_req *r)
{
	__u32 line = r->dr_pair;

	return bpf_map_lookup_elem(&dt_pairdescs, &line);
}

/* Keeps the first of a pair. */
__noinline int
dt_pair_begin(struct dt_hit *h, struct dt_req *r, __u32 slot)
{
	struct dt_pairdesc *pd;
	struct dt_pairkey pk;
	struct dt_first first;
	struct dt_count *c;
	void *table;

	if (h == NULL || r == NULL)
		return 0;
	pd = pair_desc(r);
	table = bpf_map_lookup_elem(&dt_pairs, &slot);
	if (pd == NULL || table == NULL)
		return 0; /* the open has just stopped */
	pair_key(&pk, h, pd, r, slot, 0);
	first.fi_time = h->h_time;
	first.fi_tid = h->h_ktid & pd->pd_thread;
	first.fi_pbn = h->h_pbn;
	first.fi_nargs = h->h_nargs;
	first.fi_pad = 0;
	__builtin_memcpy(first.fi_args, h->h_args, sizeof(first.fi_args));
	if (bpf_map_update_elem(table, &pk, &first, BPF_ANY) == 0)
		return 0;
	c = dt_count_of(slot, h->h_cpu);
	if (c != NULL)
		__sync_fetch_and_add(&c->dc_unpaired, 1);
	return 0;
}

/*
 * Arguments are the first's while the record is built and its condition tested,
 * but what arguments point to is read by those of the hit itself.
 *
 * This and dt_put_duration() are called for every record of the long way, and
 * look themselves whether it is one of a pair: a branch there would have the
 * verifier look twice at all behind it.
 */
__noinline int
dt_pair_swap(struct dt_hit *h, __u32 bits)
{
	__u32 nargs;
	__u64 arg;
	int i;

	if (h == NULL || (bits & DT_REQ_TO) == 0)
		return 0;
	nargs = h->h_nargs;
	h->h_nargs = h->h_nother;
	h->h_nother = nargs;
#pragma unroll
	for (i = 0; i < 6; i++) {
		arg = h->h_args[i];
		h->h_args[i] = h->h_other[i];
		h->h_other[i] = arg;
	}
	return 0;
}

/* Whether the condition of a second holds, with the arguments of the first. */
static __always_inline int
pair_passes(struct dt_hit *h, const struct dt_req *r)
{
	int passes;

	dt_pair_swap(h, DT_REQ_TO);
	passes = dt_cond_passes(h, r->dr_cond);
	dt_pair_swap(h, DT_REQ_TO);
	return passes;
}

/*
 * Takes the first that belongs to a second out of the table, and puts it into
 * the hit.  0: there is none, or too little time lies between them, or the
 * condition does not hold.
 */
__noinline int
dt_pair_end(struct dt_hit *h, struct dt_req *r, __u32 slot)
{
	struct dt_pairdesc *pd;
	struct dt_pairkey pk;
	struct dt_first *first;
	void *table;

	if (h == NULL || r == NULL)
		return 0;
	pd = pair_desc(r);
	table = bpf_map_lookup_elem(&dt_pairs, &slot);
	if (pd == NULL || table == NULL)
		return 0;
	pair_key(&pk, h, pd, r, slot, 1);
	first = bpf_map_lookup_elem(table, &pk);
	if (first == NULL)
		return 0;
	h->h_duration = h->h_time - first->fi_time;
	h->h_first = first->fi_pbn;
	h->h_nother = first->fi_nargs;
	__builtin_memcpy(h->h_other, first->fi_args, sizeof(h->h_other));
	/* its memory may be another's from now on */
	if (bpf_map_delete_elem(table, &pk) != 0)
		return 0;
	if (h->h_duration < pd->pd_min || (__s64)h->h_duration < 0)
		return 0;
	return r->dr_cond == 0 || pair_passes(h, r);
}

/* The last section of the event of a pair; returns the record's length. */
__noinline int
dt_put_duration(struct dt_scratch *s, struct dt_hit *h, __u32 bits,
    __u32 length)
{
	struct dt_rec *rec;
	struct dt_rec_duration *rd;

	if (s == NULL || h == NULL || (bits & DT_REQ_TO) == 0)
		return length;
	rec = (struct dt_rec *)s->ds_buf;
	if (length > DT_HEAD_BYTES + DT_REC_STRBYTES)
		length = DT_HEAD_BYTES + DT_REC_STRBYTES; /* cannot be */
	barrier_var(length);
	rd = (struct dt_rec_duration *)(s->ds_buf + (length & ~7U));
	rd->drd_nsecs = h->h_duration;
	rd->drd_first = h->h_first;
	rd->drd_nargs = rec->dr_flags & DT_REC_ARGS ? h->h_nother : 0;
	rec->dr_flags |= DT_REC_DURATION;
	rec->dr_length = length + sizeof(*rd);
	return length + sizeof(*rd);
}

#endif /* BPF_DT_PAIR_BPF_H */
