/* SPDX-License-Identifier: ISC */
/*
 * Delivers a hit to all sessions that want it, for hooks shared by all
 * sessions.  In a first pass, each session gets the hit; records of fixed size
 * are emitted at once.  Records that need the scratch follow in a second pass,
 * which has the program's context.
 *
 * A program that includes this keeps a table with one row per probe, and
 * defines the three functions below.
 */
#ifndef BPF_DT_DELIVER_BPF_H
#define BPF_DT_DELIVER_BPF_H

#include "bpf/dt_emit_scratch.bpf.h"
#include "bpf/dt_lowest_bit.bpf.h"
#include "bpf/dt_pair.bpf.h"

/* Returns the session's settings for the probe of a row. */
static __always_inline struct dt_req *
dt_deliver_req(const struct dt_hit *, __u32 line, __u32 slot);

/* Emits the record of one session that takes the scratch; tables: constant. */
static __always_inline void dt_deliver_emit(void *ctx, struct dt_hit *,
    __u32 line, __u32 slot, const int tables);

/*
 * Returns all bits if the row's probe is the exec itself, whose hits also pass
 * for sessions that await the process; else 0.
 */
static __always_inline __u64 dt_deliver_execs(__u32 line);

/* Returns whether a session's filter accepts a hit. */
__noinline int
dt_deliver_passes(struct dt_hit *h, __u32 slot)
{
	return h != NULL &&
	    dt_passes(&dt_table.t_sess[slot & (DT_MAXSESS - 1)], h);
}

static __always_inline int
deliver_sess(struct dt_hit *h, __u32 line, __u32 slot, const int isshort)
{
	struct dt_req *r;
	int scratch;

	if (h == NULL)
		return 0;
	slot &= DT_MAXSESS - 1;
	r = dt_deliver_req(h, line, slot);
	scratch = dt_hit_sess(h, r, slot, 0);
	if (!isshort && scratch && (r->rq_bits & DT_REQ_PAIR))
		scratch = dt_pair_hit(h, r, slot);
	dt_ns_leave(h);
	return scratch;
}

/*
 * Delivers a hit that passed the filter to one session.  Returns 1 if its
 * record needs the scratch.
 */
__noinline int
dt_deliver_sess(struct dt_hit *h, __u32 line, __u32 slot)
{
	return deliver_sess(h, line, slot, 0);
}

/* The same for a session whose records never need the scratch. */
__noinline int
dt_deliver_sess_short(struct dt_hit *h, __u32 line, __u32 slot)
{
	return deliver_sess(h, line, slot, 1);
}

/*
 * A private dtd has one session, in the first slot: the verifier then leaves
 * out what serves several, which takes a tenth of its time.
 */
const volatile __u32 dt_isalone;

/* State of the second pass. */
struct dt_delivery {
	void *dly_ctx;
	struct dt_hit *dly_hit;
	__u64 dly_mask[DT_MASKWORDS]; /* sessions that need the scratch */
};

static __always_inline long
deliver_one(struct dt_delivery *dly, const int tables)
{
	struct dt_hit *h = dly->dly_hit;
	__u32 w, slot;

	if (dly->dly_mask[0] != 0)
		w = 0;
	else if (dly->dly_mask[1] != 0)
		w = 1;
	else
		return 1;
	slot = (64 * w + lowest_bit(dly->dly_mask[w])) & (DT_MAXSESS - 1);
	dly->dly_mask[w] &= dly->dly_mask[w] - 1;
	if (dt_table.t_sess[slot].ses_nsinum != 0 && !dt_ns_enter(h, slot))
		return 0; /* the thread has exited from the namespace */
	dt_deliver_emit(dly->dly_ctx, h, dly->dly_hit->h_entry, slot, tables);
	dt_ns_leave(h);
	return 0;
}

static long
deliver_round(__u32 i __attribute__((unused)), void *arg)
{
	return deliver_one(arg, 0);
}

static long
deliver_round_tables(__u32 i __attribute__((unused)), void *arg)
{
	return deliver_one(arg, 1);
}

static __always_inline __u64
deliver_each(struct dt_hit *h, __u32 line, __u64 mask, __u32 first,
    const int isshort)
{
	__u64 scratch = 0, one;
	__u32 bit;
	int i;

	if (h == NULL)
		return 0;
	for (i = 0; i < 64 && mask != 0; i++, mask &= mask - 1) {
		bit = lowest_bit(mask);
		if (!dt_deliver_passes(h, first + bit))
			continue;
		one = isshort ? dt_deliver_sess_short(h, line, first + bit)
			      : dt_deliver_sess(h, line, first + bit);
		scratch |= (one & 1) << (bit & 63);
	}
	return scratch;
}

/*
 * Delivers a hit to the sessions of one word of the mask, one per round, hence
 * 64 rounds.  Returns the sessions whose record needs the scratch.  This
 * function and its callees are global functions, which the verifier checks once
 * each; it checks the loop's body 64 times.
 */
__noinline __u64
dt_deliver_word(struct dt_hit *h, __u32 line, __u64 mask, __u32 first)
{
	return deliver_each(h, line, mask, first, 0);
}

/* The same for sessions whose records never need the scratch. */
__noinline __u64
dt_deliver_word_short(struct dt_hit *h, __u32 line, __u64 mask, __u32 first)
{
	return deliver_each(h, line, mask, first, 1);
}

/* The same, faster for a single session, the usual case. */
static __always_inline __u64
deliver_word(struct dt_hit *h, __u64 mask, __u32 first, const int isshort)
{
	__u32 line = h->h_entry, slot;
	int scratch;

	if (!dt_isalone && (mask & (mask - 1)) != 0)
		return isshort ? dt_deliver_word_short(h, line, mask, first)
			       : dt_deliver_word(h, line, mask, first);
	slot = (first + lowest_bit(mask)) & (DT_MAXSESS - 1);
	if (!dt_passes(&dt_table.t_sess[slot], h))
		return 0;
	scratch = isshort ? dt_deliver_sess_short(h, line, slot)
			  : dt_deliver_sess(h, line, slot);
	return scratch & 1 ? mask : 0;
}

static __always_inline int
deliver_first(struct dt_delivery *dly, const __u64 *masks, const int isshort)
{
	struct dt_hit *h = dly->dly_hit;
	const __u64 *may = dt_table.t_bypid[h->h_pid & (DT_BYPID - 1)];
	__u64 low = masks[0] & may[0], high = masks[1] & may[1], key, execs;
	const struct dt_follow *f;

	if ((low & dt_table.t_follow[0]) | (high & dt_table.t_follow[1])) {
		key = h->h_signal;
		f = bpf_map_lookup_elem(&dt_followed, &key);
		execs = dt_deliver_execs(h->h_entry);
		low &= ~dt_table.t_follow[0] |
		    (f ? f->fo_mask[0] | (f->fo_await[0] & execs) : 0);
		high &= ~dt_table.t_follow[1] |
		    (f ? f->fo_mask[1] | (f->fo_await[1] & execs) : 0);
	}
	if (low != 0)
		dly->dly_mask[0] = deliver_word(h, low, 0, isshort);
	if (!dt_isalone && high != 0)
		dly->dly_mask[1] = deliver_word(h, high, 64, isshort);
	return dly->dly_mask[0] != 0 || dly->dly_mask[1] != 0;
}

/*
 * Delivers a hit, filled in by the caller, to all sessions of the mask.
 * Returns whether dt_deliver_long() must deliver it to some of them.
 */
static __always_inline int
dt_deliver_short(struct dt_delivery *dly, const __u64 *masks)
{
	return deliver_first(dly, masks, 0);
}

/*
 * Delivers a hit to all sessions of the mask, none of which has records that
 * need the scratch.
 */
static __always_inline void
dt_deliver_only_short(struct dt_delivery *dly, const __u64 *masks)
{
	(void)deliver_first(dly, masks, 1);
}

static __always_inline void
dt_deliver_long(struct dt_delivery *dly, const int tables)
{
	if (tables)
		bpf_loop(DT_MAXSESS, deliver_round_tables, dly, 0);
	else
		bpf_loop(DT_MAXSESS, deliver_round, dly, 0);
}

#endif /* BPF_DT_DELIVER_BPF_H */
