/* SPDX-License-Identifier: ISC */
/*
 * The fast path of a record: a record without stacks, owner and strings has a
 * size known at compile time, so it is reserved, filled and submitted.  All
 * other records take the slow path through the CPU's scratch memory.
 *
 * Runs in any program of the dt device.  Every exit that loses a hit counts
 * it.
 *
 * The data thread is woken only if it sleeps (ses_armed).  It sets ses_armed and
 * then checks the ring; the program submits its record and then reads
 * ses_armed.  The atomic count between the two is a full barrier, so at least
 * one side sees the other's write.
 */
#ifndef BPF_DT_EMIT_BPF_H
#define BPF_DT_EMIT_BPF_H

#include "bpf/dt_agg.bpf.h"
#include "bpf/dt_cond.bpf.h"
#include "bpf/dt_filter.bpf.h"

/* Returns the flags of a submit: a wake-up if the data thread requested one. */
static __always_inline __u64
dt_wake_flags(struct dt_sess *o)
{
	if (o->ses_armed && __sync_lock_test_and_set(&o->ses_armed, 0))
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

static __always_inline void
dt_fill_head(struct dt_rec *rec, const struct dt_hit *h, __u32 length,
    __u32 flags)
{
	rec->dr_length = length;
	rec->dr_kind = DT_REC_EVENT;
	rec->dr_flags = flags;
	rec->dr_pbn = h->h_pbn;
	rec->dr_time = h->h_time;
	rec->dr_pid = h->h_pid;
	rec->dr_tid = h->h_tid;
}

/*
 * Counts, and is a full barrier.  The result is used because arm64 does not
 * order an atomic add whose result is unused.
 */
static __always_inline void
dt_count_barrier(__u64 *counter)
{
	__u64 was = __sync_fetch_and_add(counter, 1);

	barrier_var(was);
}

/*
 * Reserves a record, NULL if the ring is full, and counts the hit in either
 * case.
 */
static __always_inline struct dt_rec *
dt_emit_reserve(void *ring, struct dt_count *c, const __u32 size)
{
	struct dt_rec *rec = bpf_ringbuf_reserve(ring, size, 0);

	dt_count_barrier(&c->dc_fired);
	if (rec == NULL)
		__sync_fetch_and_add(&c->dc_dropped, 1);
	return rec;
}

/*
 * Emits a record of nargs arguments or a return value, with or without the
 * thread name.  All three are constants after inlining, so the size is one,
 * too.
 */
static __always_inline int
dt_emit_shape(void *ring, struct dt_count *c, struct dt_sess *o,
    const struct dt_hit *h, const __u32 nargs, const int isreturn,
    const int comm)
{
	const __u32 size = sizeof(struct dt_rec) + 8 * nargs +
	    (isreturn ? sizeof(struct dt_rec_ret) : 0) +
	    (comm ? DT_REC_COMMLEN : 0);
	struct dt_rec *rec;
	__u64 *p;

	if ((rec = dt_emit_reserve(ring, c, size)) == NULL)
		return 0;
	dt_fill_head(rec, h, size,
	    (nargs ? DT_REC_ARGS : 0) | (isreturn ? DT_REC_RETVAL : 0) |
		(comm ? DT_REC_COMM : 0));
	p = (__u64 *)(rec + 1);
	if (nargs > 0)
		*p++ = h->h_args[0];
	if (nargs > 1)
		*p++ = h->h_args[1];
	if (nargs > 2)
		*p++ = h->h_args[2];
	if (nargs > 3)
		*p++ = h->h_args[3];
	if (nargs > 4)
		*p++ = h->h_args[4];
	if (nargs > 5)
		*p++ = h->h_args[5];
	if (isreturn) {
		*p++ = h->h_ret.drr_retval;
		*p++ = h->h_ret.drr_error;
	}
	if (comm) {
		*p++ = h->h_comm[0];
		*p++ = h->h_comm[1];
	}
	bpf_ringbuf_submit(rec, dt_wake_flags(o));
	return 0;
}

static __always_inline int
dt_emit_named(void *ring, struct dt_count *c, struct dt_sess *o,
    const struct dt_hit *h, const __u32 nargs, const int isreturn, __u32 want)
{
	if (want & DT_EVT_EXECNAME)
		return dt_emit_shape(ring, c, o, h, nargs, isreturn, 1);
	return dt_emit_shape(ring, c, o, h, nargs, isreturn, 0);
}

/* Selects the shape of an entry's record, or of another hit's. */
static __always_inline int
dt_emit_args(void *ring, struct dt_count *c, struct dt_sess *o,
    const struct dt_hit *h, __u32 want)
{
	switch (want & DT_EVT_FUNCARGS ? h->h_nargs : 0) {
	case 0:
		return dt_emit_named(ring, c, o, h, 0, 0, want);
	case 1:
		return dt_emit_named(ring, c, o, h, 1, 0, want);
	case 2:
		return dt_emit_named(ring, c, o, h, 2, 0, want);
	case 3:
		return dt_emit_named(ring, c, o, h, 3, 0, want);
	case 4:
		return dt_emit_named(ring, c, o, h, 4, 0, want);
	case 5:
		return dt_emit_named(ring, c, o, h, 5, 0, want);
	default:
		return dt_emit_named(ring, c, o, h, 6, 0, want);
	}
}

/* Selects the shape of a record.  want: DT_EVT_* without stacks. */
static __always_inline int
dt_emit_fixed(void *ring, struct dt_count *c, struct dt_sess *o,
    const struct dt_hit *h, __u32 want)
{
	if (h->h_isreturn)
		return dt_emit_named(ring, c, o, h, 0, 1, want);
	return dt_emit_args(ring, c, o, h, want);
}

/*
 * Returns the ring of a session on this CPU, NULL if the CPU was added after
 * the rings were created.
 */
static __always_inline void *
dt_ring_of(__u32 slot, __u32 cpu)
{
	__u32 i = slot * dt_ncpu + cpu;

	return bpf_map_lookup_elem(&dt_rings, &i);
}

/* Counts a hit on a CPU without a ring as dropped. */
static __always_inline void
dt_count_noring(struct dt_count *c)
{
	__sync_fetch_and_add(&c->dc_fired, 1);
	__sync_fetch_and_add(&c->dc_dropped, 1);
}

/*
 * Delivers a hit that passed the filter to one session.  Returns 1 if the
 * record needs the scratch, and thus the program's context, else 0.  isclock:
 * the hit is a tick.
 */
static __always_inline int
dt_hit_sess(struct dt_hit *h, const struct dt_req *r, __u32 slot,
    const int isclock)
{
	struct dt_sess *o = &dt_table.t_sess[slot & (DT_MAXSESS - 1)];
	struct dt_count *c;
	void *ring;

	if (dt_has_bounds(o) &&
	    !(isclock ? dt_in_clock_bounds(h, slot) : dt_in_bounds(h, slot)))
		return 0;
	/* the condition of a pair is tested by dt_pair_join() */
	if (r->rq_cond != 0 && (r->rq_bits & DT_REQ_TO) == 0 &&
	    !dt_cond_passes(h, r->rq_cond))
		return 0;
	c = dt_count_of(slot, h->h_cpu);
	if (c == NULL)
		return 0;
	if (dt_left_out(o, r, h)) {
		__sync_fetch_and_add(&c->dc_excluded, 1);
		return 0;
	}
	/* without a record, only paths and pairs need the scratch */
	if (r->rq_agg != 0 && (r->rq_agg & DT_REQ_AGG_RECORD) == 0 &&
	    (r->rq_bits & (DT_REQ_PATHS | DT_REQ_PAIR)) == 0)
		return dt_agg_hit(h, r->rq_agg, slot);
	if ((r->rq_evtflags & DT_EVT_LONG) | (r->rq_bits & DT_REQ_SCRATCH) |
	    r->rq_agg)
		return 1;
	ring = dt_ring_of(slot, h->h_cpu);
	if (ring == NULL) {
		dt_count_noring(c);
		return 0;
	}
	return dt_emit_fixed(ring, c, o, h, r->rq_evtflags);
}

#endif /* BPF_DT_EMIT_BPF_H */
