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
 * A session that wants to know whose thread the first hit was (DTPA_FIRST) has
 * a table of larger values, which are put together in the CPU's scratch memory:
 * they also have what the arguments of the first hit point to, read then.
 *
 * Of two hits of the second at once only one gets the first: who deletes it.
 * A function that calls itself is one hit of the first after the other: the
 * innermost call is the pair, and those outside of it have none.
 */
#ifndef BPF_DT_PAIR_BPF_H
#define BPF_DT_PAIR_BPF_H

#include "bpf/dt_strings.bpf.h"

/* The sections of a pair, which follow the strings. */
#define DT_PAIR_BYTES \
	(sizeof(struct dt_rec_first) + sizeof(struct dt_rec_duration))

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

/* The session's table of first hits, by what it keeps of them. */
static __always_inline void *
pair_table(__u32 slot, __u32 bits)
{
	return bits & DT_REQ_KEEP ? bpf_map_lookup_elem(&dt_keeps, &slot)
				  : bpf_map_lookup_elem(&dt_pairs, &slot);
}

/* Returns the kind of a pair, NULL if its session has just stopped, and fills the
 * key of a hit's entry in the table.  side: 0 of the first, 1 of the
 * second. */
static __always_inline struct dt_pairdesc *
pair_place(struct dt_hit *h, const struct dt_req *r, __u32 slot,
    struct dt_pairkey *pk, const int side)
{
	const struct dt_open *o = &dt_table.t_open[slot & (DT_MAXOPEN - 1)];
	__u32 line = r->dr_pair;
	struct dt_pairdesc *pd;

	pd = bpf_map_lookup_elem(&dt_pairdescs, &line);
	if (pd == NULL)
		return NULL;
	pk->pk_value[0] = dt_pair_value(h, &pd->pd_key[side][0]);
	pk->pk_value[1] = 0;
	if (pd->pd_nkeys > 1)
		pk->pk_value[1] = dt_pair_value(h, &pd->pd_key[side][1]);
	pk->pk_pair = r->dr_pairno;
	pk->pk_run = o->do_run;
	return pd;
}

static __always_inline void
pair_fill(struct dt_first *fi, const struct dt_hit *h,
    const struct dt_pairdesc *pd)
{
	fi->fi_time = h->h_time;
	fi->fi_tid = h->h_ktid & pd->pd_thread;
	fi->fi_pbn = h->h_pbn;
	fi->fi_nargs = h->h_nargs < 6 ? h->h_nargs : 6;
	fi->fi_pad = 0;
	__builtin_memcpy(fi->fi_args, h->h_args, sizeof(fi->fi_args));
}

static __always_inline void
pair_unkept(const struct dt_hit *h, __u32 slot)
{
	struct dt_count *c = dt_count_of(slot, h->h_cpu);

	if (c != NULL)
		__sync_fetch_and_add(&c->dc_unpaired, 1);
}

/* Keeps the first of a pair. */
__noinline int
dt_pair_begin(struct dt_hit *h, struct dt_req *r, __u32 slot)
{
	struct dt_pairdesc *pd;
	struct dt_pairkey pk;
	struct dt_first first;
	void *table;

	if (h == NULL || r == NULL ||
	    (pd = pair_place(h, r, slot, &pk, 0)) == NULL ||
	    (table = bpf_map_lookup_elem(&dt_pairs, &slot)) == NULL)
		return 0;
	pair_fill(&first, h, pd);
	if (bpf_map_update_elem(table, &pk, &first, BPF_ANY) != 0)
		pair_unkept(h, slot);
	return 0;
}

/* Begins a struct dt_keep: texts follow in the scratch, where no record is.
 * The parent is looked up here, where less is on the stack. */
#define PAIR_TEXT 8 /* where they begin: less than a record has */

static __always_inline void
dt_pair_open(struct dt_scratch *s, __u32 slot)
{
	((struct dt_rec *)s->ds_buf)->dr_length = PAIR_TEXT;
	s->ds_keep.kp_who.drf_who.drw_ppid = dt_parent(slot);
}

/* The same as dt_pair_begin(), with its thread and the texts that follow
 * dt_pair_open(), in the scratch.  6.1 takes no value for a map from memory
 * that a function was given, so this looks the scratch up again. */
__noinline int
dt_pair_keep(struct dt_hit *h, struct dt_req *r, __u32 slot)
{
	struct dt_scratch *s;
	struct dt_rec_first *rf;
	struct dt_pairdesc *pd;
	struct dt_pairkey pk;
	struct dt_keep *kp;
	void *table;
	__u32 cpu;

	if (h == NULL || r == NULL ||
	    (pd = pair_place(h, r, slot, &pk, 0)) == NULL ||
	    (table = bpf_map_lookup_elem(&dt_keeps, &slot)) == NULL)
		return 0;
	cpu = h->h_cpu;
	if ((s = bpf_map_lookup_elem(&dt_scratch, &cpu)) == NULL)
		return 0;
	kp = &s->ds_keep;
	pair_fill(&kp->kp_first, h, pd);
	rf = &kp->kp_who;
	rf->drf_pid = h->h_pid;
	rf->drf_tid = h->h_tid;
	rf->drf_cpu = h->h_cpu;
	rf->drf_pad = 0;
	rf->drf_who.drw_cgroup = bpf_get_current_cgroup_id();
	rf->drf_who.drw_uid = h->h_uid;
	__builtin_memcpy(rf->drf_comm, h->h_comm, sizeof(rf->drf_comm));
	kp->kp_ntext = ((struct dt_rec *)s->ds_buf)->dr_length - PAIR_TEXT;
	__builtin_memcpy(kp->kp_text, s->ds_buf + PAIR_TEXT,
	    sizeof(kp->kp_text));
	if (bpf_map_update_elem(table, &pk, kp, BPF_ANY) != 0)
		pair_unkept(h, slot);
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
	    (pd = pair_place(h, r, slot, &pk, 1)) == NULL ||
	    (table = pair_table(slot, r->dr_bits)) == NULL)
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
 * scratch is needed: for an event, to look at a path, or to keep more.  Inline, as each call
 * takes from the stack, and what is behind this needs most of it (6.1).
 */
static __always_inline int
dt_pair_hit(struct dt_hit *h, struct dt_req *r, __u32 slot)
{
	if (h == NULL || r == NULL)
		return 0;
	if (r->dr_bits & DT_REQ_TO)
		return dt_pair_due(h, r, slot);
	if (r->dr_bits & (DT_REQ_PATHS | DT_REQ_KEEP))
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
	struct dt_keep *kp;
	void *table;
	long error;

	if (s == NULL || h == NULL || r == NULL)
		return 0;
	if ((r->dr_bits & DT_REQ_TO) == 0)
		return 1;
	if (pair_place(h, r, slot, &pk, 1) == NULL)
		return 0;
	/* memory of an entry may be another's after its deletion */
	if (r->dr_bits & DT_REQ_KEEP) {
		table = bpf_map_lookup_elem(&dt_keeps, &slot);
		if (table == NULL ||
		    (kp = bpf_map_lookup_elem(table, &pk)) == NULL)
			return 0;
		__builtin_memcpy(&s->ds_keep, kp, sizeof(s->ds_keep));
		error = bpf_map_delete_elem(table, &pk);
	} else {
		table = bpf_map_lookup_elem(&dt_pairs, &slot);
		if (table == NULL ||
		    (first = bpf_map_lookup_elem(table, &pk)) == NULL)
			return 0;
		s->ds_keep.kp_first = *first;
		error = bpf_map_delete_elem(table, &pk);
	}
	h->h_duration = h->h_time - s->ds_keep.kp_first.fi_time;
	return error == 0 && (__s64)h->h_duration >= 0;
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
	h->h_nargs = s->ds_keep.kp_first.fi_nargs;
	s->ds_keep.kp_first.fi_nargs = nargs;
#pragma unroll
	for (i = 0; i < 6; i++) {
		arg = h->h_args[i];
		h->h_args[i] = s->ds_keep.kp_first.fi_args[i];
		s->ds_keep.kp_first.fi_args[i] = arg;
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

/* Appends what a struct dt_keep has; returns the record's length.  Texts that
 * the second hit has read for the first, as of one call, are there already. */
static __always_inline __u32
pair_put_kept(struct dt_scratch *s, struct dt_rec *rec, __u32 length)
{
	__u32 ntext = s->ds_keep.kp_ntext;

	if (ntext > 0 && ntext <= DT_KEEP_TEXT &&
	    (rec->dr_flags & DT_REC_STRINGS) == 0) {
		__builtin_memcpy(s->ds_buf + (length & ~7U), s->ds_keep.kp_text,
		    DT_KEEP_TEXT);
		rec->dr_flags |= DT_REC_STRINGS;
		length += ntext;
	}
	if (length > DT_HEAD_BYTES + DT_REC_STRBYTES)
		length = DT_HEAD_BYTES + DT_REC_STRBYTES; /* cannot be */
	barrier_var(length);
	__builtin_memcpy(s->ds_buf + (length & ~7U), &s->ds_keep.kp_who,
	    sizeof(s->ds_keep.kp_who));
	return length + sizeof(s->ds_keep.kp_who);
}

/* The last sections of the event of a pair; returns the record's length. */
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
	if (bits & DT_REQ_KEEP)
		length = pair_put_kept(s, rec, length);
	rd = (struct dt_rec_duration *)(s->ds_buf + (length & ~7U));
	rd->drd_nsecs = h->h_duration;
	rd->drd_first = s->ds_keep.kp_first.fi_pbn;
	rd->drd_nargs = s->ds_keep.kp_first.fi_nargs;
	if ((rec->dr_flags & DT_REC_ARGS) == 0)
		rd->drd_nargs = 0;
	if (bits & DT_REQ_KEEP)
		rd->drd_nargs |= DT_PAIR_FIRST;
	rec->dr_flags |= DT_REC_DURATION;
	rec->dr_length = length + sizeof(*rd);
	return length + sizeof(*rd);
}

#endif /* BPF_DT_PAIR_BPF_H */
