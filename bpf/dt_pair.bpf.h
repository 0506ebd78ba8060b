/* SPDX-License-Identifier: ISC */
/*
 * Pairs of probes: the first hit is kept in the session's table until the
 * second probe is hit with the same keys.  One event results, of the second
 * probe, with the first hit's arguments and the time between the hits.  Runs
 * in syscall, tracepoint and kprobe programs.
 *
 * The tables are preallocated hashes in a map of maps, one per session, because
 * allocation of single entries costs more.  A session cannot use up another
 * session's entries.  First hits that find their table full are counted as
 * unpaired.
 *
 * Sessions that record the first hit's thread (DTPA_FIRST) use a table with
 * larger values, which also contain the strings that the first hit's arguments
 * point to.  Such a value is built in the CPU's scratch.
 *
 * If two second hits find the same entry, the one that deletes it becomes the
 * event.  A recursive function overwrites its entry: only the innermost call
 * is paired.
 */
#ifndef BPF_DT_PAIR_BPF_H
#define BPF_DT_PAIR_BPF_H

#include "bpf/dt_agg_record.bpf.h"
#include "bpf/dt_strings.bpf.h"

/*
 * Arguments of a first hit that are kept.  A program of user functions, whose
 * h_raw is the address of those after the first six, defines it.
 */
#ifndef PAIR_NARGS
#define PAIR_NARGS DT_FIRST_ARGS
#endif

/* Defined as 1 by programs whose h_raw is the address of a record. */
#ifndef PAIR_HASRECORD
#define PAIR_HASRECORD 0
#endif

/* Returns a key: a number that must be equal in both hits. */
__noinline __u64
dt_pair_value(struct dt_hit *h, struct dt_look *lo)
{
	return h == NULL || lo == NULL ? 0 : cond_value(h, lo);
}

/* Returns the session's table of first hits. */
static __always_inline void *
pair_table(__u32 slot, __u32 bits)
{
	return bits & DT_REQ_KEEP ? bpf_map_lookup_elem(&dt_keeps, &slot)
				  : bpf_map_lookup_elem(&dt_pairs, &slot);
}

/*
 * Fills in the key of a hit, and returns the pair's row, NULL if the session
 * has just stopped.  side: 0 for the first hit, 1 for the second.
 */
static __always_inline struct dt_pairdesc *
pair_place(struct dt_hit *h, const struct dt_req *r, __u32 slot,
    struct dt_pairkey *pk, const int side)
{
	const struct dt_sess *o = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];
	__u32 line = DT_PAIRDESC(slot, r->rq_pair);
	struct dt_pairdesc *pd;

	pd = bpf_map_lookup_elem(&dt_pairdescs, &line);
	if (pd == NULL)
		return NULL;
	pk->pk_value[0] = dt_pair_value(h, &pd->pds_key[side][0]);
	pk->pk_value[1] = 0;
	if (pd->pds_nkeys > 1)
		pk->pk_value[1] = dt_pair_value(h, &pd->pds_key[side][1]);
	pk->pk_pair = r->rq_pairno;
	pk->pk_run = o->ses_run;
	return pd;
}

static __always_inline void
pair_fill(struct dt_first *fi, const struct dt_hit *h,
    const struct dt_pairdesc *pd)
{
	fi->fst_time = h->h_time;
	fi->fst_tid = h->h_ktid & pd->pds_thread;
	fi->fst_pbn = h->h_pbn;
	fi->fst_nargs = h->h_nargs < PAIR_NARGS ? h->h_nargs : PAIR_NARGS;
	fi->fst_pad = 0;
	__builtin_memcpy(fi->fst_args, h->h_args, sizeof(fi->fst_args));
	if (PAIR_NARGS > DT_FIRST_ARGS && h->h_nargs > DT_FIRST_ARGS)
		bpf_probe_read_kernel(fi->fst_more, sizeof(fi->fst_more),
		    (void *)h->h_raw);
}

static __always_inline void
pair_unkept(const struct dt_hit *h, __u32 slot)
{
	struct dt_count *c = dt_count_of(slot, h->h_cpu);

	if (c != NULL)
		__sync_fetch_and_add(&c->dc_unpaired, 1);
}

/*
 * Keeps a first hit.  Where no hit has more than six arguments, the key takes
 * the memory of the others: on 6.1, the calls of a program share 512 bytes.
 */
__noinline int
dt_pair_begin(struct dt_hit *h, struct dt_req *r, __u32 slot)
{
	struct dt_pairdesc *pd;
	struct dt_first first;
	struct dt_pairkey own, *pk = &own;
	void *table;

	_Static_assert(sizeof(own) <= sizeof(first.fst_more), "the key");
	__builtin_memset(first.fst_more, 0, sizeof(first.fst_more));
	if (PAIR_NARGS == DT_FIRST_ARGS)
		pk = (struct dt_pairkey *)first.fst_more;
	if (h == NULL || r == NULL ||
	    (pd = pair_place(h, r, slot, pk, 0)) == NULL ||
	    (table = bpf_map_lookup_elem(&dt_pairs, &slot)) == NULL)
		return 0;
	pair_fill(&first, h, pd);
	if (bpf_map_update_elem(table, pk, &first, BPF_ANY) != 0)
		pair_unkept(h, slot);
	return 0;
}

/*
 * Begins a struct dt_keep.  Strings follow in the scratch, which has no record
 * yet.  Looks up the parent here, where the stack has space.
 */
#define PAIR_TEXT 8 /* offset of the strings, less than any record's length */

static __always_inline void
dt_pair_open(struct dt_scratch *s, __u32 slot)
{
	((struct dt_rec *)s->scr_buf)->dr_length = PAIR_TEXT;
	s->scr_keep.keep_who.drf_who.drw_ppid = dt_parent(slot);
}

/*
 * Keeps a first hit with its thread, and the strings that follow
 * dt_pair_open().  Linux 6.1 refuses a map value in memory passed to a
 * function, so this looks up the scratch again.
 */
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
	kp = &s->scr_keep;
	pair_fill(&kp->keep_first, h, pd);
	rf = &kp->keep_who;
	rf->drf_pid = h->h_pid;
	rf->drf_tid = h->h_tid;
	rf->drf_cpu = h->h_cpu;
	rf->drf_pad = 0;
	rf->drf_who.drw_cgroup = bpf_get_current_cgroup_id();
	rf->drf_who.drw_uid = h->h_uid;
	__builtin_memcpy(rf->drf_comm, h->h_comm, sizeof(rf->drf_comm));
	kp->keep_ntext = ((struct dt_rec *)s->scr_buf)->dr_length - PAIR_TEXT;
	__builtin_memcpy(kp->keep_text, s->scr_buf + PAIR_TEXT,
	    sizeof(kp->keep_text));
	if (bpf_map_update_elem(table, &pk, kp, BPF_ANY) != 0)
		pair_unkept(h, slot);
	return 0;
}

/*
 * Returns whether a second hit has a first hit that is old enough.  Deletes a
 * first hit that is too young, which ends most pairs.  A separate function
 * because of the stack limit (512 bytes for all frames on 6.1).
 */
__noinline int
dt_pair_due(struct dt_hit *h, struct dt_req *r, __u32 slot)
{
	struct dt_pairdesc *pd;
	struct dt_pairkey pk;
	struct dt_first *first;
	void *table;

	if (h == NULL || r == NULL ||
	    (pd = pair_place(h, r, slot, &pk, 1)) == NULL ||
	    (table = pair_table(slot, r->rq_bits)) == NULL)
		return 0;
	first = bpf_map_lookup_elem(table, &pk);
	if (first == NULL)
		return 0;
	if (h->h_time - first->fst_time >= pd->pds_min)
		return 1;
	bpf_map_delete_elem(table, &pk);
	return 0;
}

/*
 * Processes a hit of a pair that passed the session's filter.  Returns 1 if
 * the scratch is needed: for an event, a path filter, or a struct dt_keep.
 * Inline, because a call uses stack that the code after it needs on 6.1.
 */
static __always_inline int
dt_pair_hit(struct dt_hit *h, struct dt_req *r, __u32 slot)
{
	if (h == NULL || r == NULL)
		return 0;
	if (r->rq_bits & DT_REQ_TO)
		return dt_pair_due(h, r, slot);
	if (r->rq_bits & (DT_REQ_PATHS | DT_REQ_KEEP))
		return 1;
	dt_pair_begin(h, r, slot);
	return 0;
}

/*
 * Takes the first hit of a second hit into the scratch, and sets the hit's
 * duration.  Returns 0 if another hit has taken it.
 *
 * This and the following functions are called for every record on the slow path
 * and test for a pair themselves.  A branch in the caller would make the
 * verifier check all following code twice.
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
	if ((r->rq_bits & DT_REQ_TO) == 0)
		return 1;
	if (pair_place(h, r, slot, &pk, 1) == NULL)
		return 0;
	/* copied, because a deleted entry may be reused at once */
	if (r->rq_bits & DT_REQ_KEEP) {
		table = bpf_map_lookup_elem(&dt_keeps, &slot);
		if (table == NULL ||
		    (kp = bpf_map_lookup_elem(table, &pk)) == NULL)
			return 0;
		__builtin_memcpy(&s->scr_keep, kp, sizeof(s->scr_keep));
		error = bpf_map_delete_elem(table, &pk);
	} else {
		table = bpf_map_lookup_elem(&dt_pairs, &slot);
		if (table == NULL ||
		    (first = bpf_map_lookup_elem(table, &pk)) == NULL)
			return 0;
		s->scr_keep.keep_first = *first;
		error = bpf_map_delete_elem(table, &pk);
	}
	s->scr_raw = (__u64)s->scr_keep.keep_first.fst_more;
	h->h_duration = h->h_time - s->scr_keep.keep_first.fst_time;
	return error == 0 && (__s64)h->h_duration >= 0;
}

/*
 * Exchanges the arguments of the hit and of its first hit.  The record and the
 * condition use the first hit's arguments; strings are read by the hit's own,
 * and a condition may use the fields of the hit's own record.
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
	h->h_nargs = s->scr_keep.keep_first.fst_nargs;
	s->scr_keep.keep_first.fst_nargs = nargs;
#pragma unroll
	for (i = 0; i < 6; i++) {
		arg = h->h_args[i];
		h->h_args[i] = s->scr_keep.keep_first.fst_args[i];
		s->scr_keep.keep_first.fst_args[i] = arg;
	}
	if (!PAIR_HASRECORD) {
		arg = h->h_raw;
		h->h_raw = s->scr_raw;
		s->scr_raw = arg;
	}
	return 0;
}

/*
 * Completes a pair if its condition, which may use both hits, is true.  Else
 * returns 0 and releases the scratch.
 */
static __always_inline int
dt_pair_join(struct dt_way *wy, struct dt_hit *h, const struct dt_req *r)
{
	dt_pair_swap(wy->wy_scratch, h, r->rq_bits);
	if ((r->rq_bits & DT_REQ_TO) == 0 || r->rq_cond == 0 ||
	    dt_cond_passes(h, r->rq_cond))
		return 1;
	dt_pair_swap(wy->wy_scratch, h, r->rq_bits);
	dt_way_end(wy);
	return 0;
}

/*
 * Counts a hit that has taken the scratch, if its probe is counted and the key
 * does not need the record: returns whether it is finished.  A second hit has
 * the arguments of its first.
 */
static __always_inline int
dt_agg_pair(struct dt_way *wy, struct dt_hit *h, const struct dt_req *r,
    __u32 slot)
{
	if (r->rq_agg == 0 || (r->rq_agg & DT_REQ_AGG_RECORD)) {
		dt_agg_parts(wy->wy_scratch, h, r->rq_agg, slot);
		return 0;
	}
	dt_agg_hit(h, r->rq_agg, slot);
	dt_pair_swap(wy->wy_scratch, h, r->rq_bits);
	dt_way_end(wy);
	return 1;
}

/*
 * Appends the contents of a struct dt_keep.  Returns the record's length.
 * Strings that the second hit has already read for the first, as for one system
 * call, are not repeated.
 */
static __always_inline __u32
pair_put_kept(struct dt_scratch *s, struct dt_rec *rec, __u32 length)
{
	__u32 ntext = s->scr_keep.keep_ntext;

	if (ntext > 0 && ntext <= DT_KEEP_TEXT &&
	    (rec->dr_flags & DT_REC_STRINGS) == 0) {
		__builtin_memcpy(s->scr_buf + (length & ~7U),
		    s->scr_keep.keep_text, DT_KEEP_TEXT);
		rec->dr_flags |= DT_REC_STRINGS;
		length += ntext;
	}
	if (length > DT_HEAD_BYTES + DT_REC_STRBYTES)
		length = DT_HEAD_BYTES + DT_REC_STRBYTES; /* unreachable */
	barrier_var(length);
	__builtin_memcpy(s->scr_buf + (length & ~7U), &s->scr_keep.keep_who,
	    sizeof(s->scr_keep.keep_who));
	return length + sizeof(s->scr_keep.keep_who);
}

/*
 * Copies arguments of the first hit, which the hit has no space for, into the
 * record.
 */
static __always_inline void
pair_put_more(struct dt_scratch *s, __u32 nargs)
{
	__u32 nbytes = 8 * (nargs - DT_FIRST_ARGS);

	barrier_var(nbytes);
	if (nargs > DT_FIRST_ARGS && nbytes <= 8 * DT_FIRST_MORE)
		bpf_probe_read_kernel(s->scr_buf + sizeof(struct dt_rec) +
			8 * DT_FIRST_ARGS,
		    nbytes, s->scr_keep.keep_first.fst_more);
}

/* Appends the last sections of a pair's event.  Returns the record's length. */
__noinline int
dt_put_duration(struct dt_scratch *s, struct dt_hit *h, __u32 bits,
    __u32 length)
{
	struct dt_rec *rec;
	struct dt_rec_duration *rd;

	if (s == NULL || h == NULL || (bits & DT_REQ_TO) == 0)
		return length;
	rec = (struct dt_rec *)s->scr_buf;
	if (length > DT_HEAD_BYTES + DT_REC_STRBYTES)
		length = DT_HEAD_BYTES + DT_REC_STRBYTES; /* unreachable */
	barrier_var(length);
	if (bits & DT_REQ_KEEP)
		length = pair_put_kept(s, rec, length);
	rd = (struct dt_rec_duration *)(s->scr_buf + (length & ~7U));
	rd->drd_nsecs = h->h_duration;
	rd->drd_first = s->scr_keep.keep_first.fst_pbn;
	rd->drd_nargs = s->scr_keep.keep_first.fst_nargs;
	if ((rec->dr_flags & DT_REC_ARGS) == 0)
		rd->drd_nargs = 0;
	pair_put_more(s, rd->drd_nargs);
	if (bits & DT_REQ_KEEP)
		rd->drd_nargs |= DT_PAIR_FIRST;
	rec->dr_flags |= DT_REC_DURATION;
	rec->dr_length = length + sizeof(*rd);
	return length + sizeof(*rd);
}

#endif /* BPF_DT_PAIR_BPF_H */
