/* SPDX-License-Identifier: ISC */
/*
 * Pairs of probes: a hit of the first is kept, in the open's own table, until
 * the second is hit with the same keys.  Then there is one event, of the
 * second, with the arguments of the first and the time between them.
 *
 * The tables are hashes in a map of maps, an open's at its slot (with memory for
 * all entries at once: allocating them one by one costs more): what one open
 * keeps takes no room from the others.  What finds no room is counted.
 *
 * Of two hits of the second at once only one gets the first: who deletes it.
 * A function that calls itself is one hit of the first after the other: the
 * innermost call is the pair, and those outside of it have none.
 */
#ifndef BPF_DT_PAIR_BPF_H
#define BPF_DT_PAIR_BPF_H

#include "dt_build.bpf.h"

/* A number that has to be the same in both hits. */
__noinline __u64
dt_pair_value(struct dt_hit *h, struct dt_look *lo)
{
	__u32 unused;
	__u64 v;

	if (h == NULL || lo == NULL)
		return 0;
	unused = (64 - 8 * lo->lo_size) & 63;
	v = cond_number(h, lo) << unused;
	return lo->lo_issigned ? (__u64)((__s64)v >> unused) : v >> unused;
}

/* What an open has of a pair: its kind, NULL if the open has just stopped, the
 * table of firsts and the key of a hit's entry there.  side: 0 of the first,
 * 1 of the second. */
static __always_inline struct dt_pairdesc *
pair_place(struct dt_hit *h, const struct dt_req *r, __u32 slot, void **tablep,
    struct dt_pairkey *pk, const int side)
{
	const struct dt_open *o = &dt_table.t_open[slot & (DT_MAXOPEN - 1)];
	__u32 line = r->dr_pair;
	struct dt_pairdesc *pd;

	pd = bpf_map_lookup_elem(&dt_pairdescs, &line);
	*tablep = bpf_map_lookup_elem(&dt_pairs, &slot);
	if (pd == NULL || *tablep == NULL)
		return NULL;
	pk->pk_value[0] = dt_pair_value(h, &pd->pd_key[side][0]);
	pk->pk_value[1] = 0;
	if (pd->pd_nkeys > 1)
		pk->pk_value[1] = dt_pair_value(h, &pd->pd_key[side][1]);
	pk->pk_pair = r->dr_pairno;
	pk->pk_run = o->do_run;
	return pd;
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

	if (h == NULL || r == NULL ||
	    (pd = pair_place(h, r, slot, &table, &pk, 0)) == NULL)
		return 0;
	first.fi_time = h->h_time;
	first.fi_tid = h->h_ktid & pd->pd_thread;
	first.fi_pbn = h->h_pbn;
	first.fi_nargs = h->h_nargs < 6 ? h->h_nargs : 6;
	first.fi_pad = 0;
	__builtin_memcpy(first.fi_args, h->h_args, sizeof(first.fi_args));
	if (bpf_map_update_elem(table, &pk, &first, BPF_ANY) == 0)
		return 0;
	c = dt_count_of(slot, h->h_cpu);
	if (c != NULL)
		__sync_fetch_and_add(&c->dc_unpaired, 1);
	return 0;
}

/* Whether a second has a first, long enough ago.  One that is too young is
 * forgotten: most end so, and need no more than this.  A function of its own,
 * or its caller would have too much on the stack (512 bytes in all, on 6.1). */
__noinline int
dt_pair_due(struct dt_hit *h, struct dt_req *r, __u32 slot)
{
	struct dt_pairdesc *pd;
	struct dt_pairkey pk;
	struct dt_first *first;
	void *table;

	if (h == NULL || r == NULL ||
	    (pd = pair_place(h, r, slot, &table, &pk, 1)) == NULL)
		return 0;
	first = bpf_map_lookup_elem(table, &pk);
	if (first == NULL)
		return 0;
	if (h->h_time - first->fi_time >= pd->pd_min)
		return 1;
	bpf_map_delete_elem(table, &pk);
	return 0;
}

/*
 * A hit of a pair, that has passed the filter of its open.  Returns 1 if the
 * scratch is needed: for an event, or to look at a path.  Inline, as each call
 * takes from the stack, and what is behind this needs most of it (6.1).
 */
static __always_inline int
dt_pair_hit(struct dt_hit *h, struct dt_req *r, __u32 slot)
{
	if (h == NULL || r == NULL)
		return 0;
	if (r->dr_bits & DT_REQ_TO)
		return dt_pair_due(h, r, slot);
	if (r->dr_bits & DT_REQ_PATHS)
		return 1;
	dt_pair_begin(h, r, slot);
	return 0;
}

/*
 * Takes the first of a second into the scratch, and tells the hit how long ago
 * that was.  0: another hit has got it.
 *
 * This and what follows is called for every record of the long way, and looks
 * itself whether it is one of a pair: a branch there would have the verifier
 * look twice at all behind it.
 */
__noinline int
dt_pair_take(struct dt_scratch *s, struct dt_hit *h, struct dt_req *r,
    __u32 slot)
{
	struct dt_pairkey pk;
	struct dt_first *first;
	void *table;

	if (s == NULL || h == NULL || r == NULL)
		return 0;
	if ((r->dr_bits & DT_REQ_TO) == 0)
		return 1;
	if (pair_place(h, r, slot, &table, &pk, 1) == NULL)
		return 0;
	first = bpf_map_lookup_elem(table, &pk);
	if (first == NULL)
		return 0;
	s->ds_first = *first;
	h->h_duration = h->h_time - first->fi_time;
	/* its memory may be another's from now on */
	return bpf_map_delete_elem(table, &pk) == 0 &&
	    (__s64)h->h_duration >= 0;
}

/*
 * Arguments are the first's while the record is built and its condition tested,
 * but what arguments point to is read by those of the hit itself.
 */
__noinline int
dt_pair_swap(struct dt_scratch *s, struct dt_hit *h, __u32 bits)
{
	__u32 nargs;
	__u64 arg;
	int i;

	if (s == NULL || h == NULL || (bits & DT_REQ_TO) == 0)
		return 0;
	nargs = h->h_nargs;
	h->h_nargs = s->ds_first.fi_nargs;
	s->ds_first.fi_nargs = nargs;
#pragma unroll
	for (i = 0; i < 6; i++) {
		arg = h->h_args[i];
		h->h_args[i] = s->ds_first.fi_args[i];
		s->ds_first.fi_args[i] = arg;
	}
	return 0;
}

/*
 * A second that has its first becomes the event, if its condition holds, which
 * may look at both.  0: it does not, and the way has ended.
 */
static __always_inline int
dt_pair_join(struct dt_way *wy, struct dt_hit *h, const struct dt_req *r)
{
	dt_pair_swap(wy->wy_scratch, h, r->dr_bits);
	if ((r->dr_bits & DT_REQ_TO) == 0 || r->dr_cond == 0 ||
	    dt_cond_passes(h, r->dr_cond))
		return 1;
	dt_pair_swap(wy->wy_scratch, h, r->dr_bits);
	dt_way_end(wy);
	return 0;
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
	rd->drd_first = s->ds_first.fi_pbn;
	rd->drd_nargs = s->ds_first.fi_nargs;
	if ((rec->dr_flags & DT_REC_ARGS) == 0)
		rd->drd_nargs = 0;
	rec->dr_flags |= DT_REC_DURATION;
	rec->dr_length = length + sizeof(*rd);
	return length + sizeof(*rd);
}

#endif /* BPF_DT_PAIR_BPF_H */
