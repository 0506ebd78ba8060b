/* SPDX-License-Identifier: ISC */
/*
 * The walk over the opens that want a hit, for hooks that all opens share:
 * each is shown the hit; those whose record has a fixed size get it at once,
 * the others in a second pass, which has the program's context.
 *
 * A program that includes this keeps a table with one line per probe, and defines
 * the three functions below.
 */
#ifndef BPF_DT_WALK_BPF_H
#define BPF_DT_WALK_BPF_H

#include "bpf/dt_bit.bpf.h"
#include "bpf/dt_emit_scratch.bpf.h"
#include "bpf/dt_pair.bpf.h"

/* What the open asked of the probe of this line. */
static __always_inline struct dt_req *
dt_walk_req(const struct dt_hit *, __u32 line, __u32 slot);

/* The record of one open that takes the scratch. */
static __always_inline void
dt_walk_emit(void *ctx, struct dt_hit *, __u32 line, __u32 slot);

/* Returns all bits if the probe of this line is the exec itself, whose hits pass
 * for sessions that still await the process; else 0. */
static __always_inline __u64 dt_walk_execs(__u32 line);

/* Whether an open's filter lets a hit pass. */
__noinline int
dt_walk_passes(struct dt_hit *h, __u32 slot)
{
	return h != NULL &&
	    dt_passes(&dt_table.t_open[slot & (DT_MAXOPEN - 1)], h);
}

/*
 * One open's share of a hit that has passed its filter; 1 if its record needs
 * the scratch.
 */
__noinline int
dt_walk_open(struct dt_hit *h, __u32 line, __u32 slot)
{
	struct dt_req *r;
	int scratch;

	if (h == NULL)
		return 0;
	slot &= DT_MAXOPEN - 1;
	r = dt_walk_req(h, line, slot);
	scratch = dt_hit_open(h, r, slot, 0);
	if (scratch && (r->dr_bits & DT_REQ_PAIR))
		scratch = dt_pair_hit(h, r, slot);
	dt_ns_leave(h);
	return scratch;
}

/* What the walk carries along. */
struct dt_walk {
	void *wk_ctx;
	struct dt_hit *wk_hit;
	__u64 wk_mask[DT_MASKWORDS]; /* opens that want the scratch */
};

static long
walk_round(__u32 i __attribute__((unused)), void *arg)
{
	struct dt_walk *wk = arg;
	struct dt_hit *h = wk->wk_hit;
	__u32 w, slot;

	if (wk->wk_mask[0] != 0)
		w = 0;
	else if (wk->wk_mask[1] != 0)
		w = 1;
	else
		return 1;
	slot = (64 * w + lowest_bit(wk->wk_mask[w])) & (DT_MAXOPEN - 1);
	wk->wk_mask[w] &= wk->wk_mask[w] - 1;
	if (dt_table.t_open[slot].do_nsinum != 0 && !dt_ns_enter(h, slot))
		return 0; /* it has just gone: no hit any more */
	dt_walk_emit(wk->wk_ctx, h, wk->wk_hit->h_line, slot);
	dt_ns_leave(h);
	return 0;
}

/*
 * Shows a hit to the opens of one word of the mask, and returns those whose
 * record needs the scratch.  A function of its own, as is what it calls: the
 * verifier looks at each once, not once for each way that leads there, but at
 * the loop's body 64 times.
 */
__noinline __u64
dt_walk_word(struct dt_hit *h, __u32 line, __u64 mask, __u32 first)
{
	__u64 scratch = 0;
	__u32 bit;
	int i;

	if (h == NULL)
		return 0;
	for (i = 0; i < 64 && mask != 0; i++, mask &= mask - 1) {
		bit = lowest_bit(mask);
		if (dt_walk_passes(h, first + bit))
			scratch |= (__u64)(dt_walk_open(h, line, first + bit) &
				       1)
			    << (bit & 63);
	}
	return scratch;
}

/* The same, quicker where it is one open only, as mostly. */
static __always_inline __u64
walk_word(struct dt_hit *h, __u64 mask, __u32 first)
{
	__u32 line = h->h_line, slot;

	if ((mask & (mask - 1)) != 0)
		return dt_walk_word(h, line, mask, first);
	slot = (first + lowest_bit(mask)) & (DT_MAXOPEN - 1);
	if (!dt_passes(&dt_table.t_open[slot], h))
		return 0;
	return dt_walk_open(h, line, slot) & 1 ? mask : 0;
}

/*
 * Shows a hit, which the caller has filled, to all opens of the mask.
 * Returns whether one of them is left to dt_walk_long().
 */
static __always_inline int
dt_walk_short(struct dt_walk *wk, const __u64 *masks)
{
	struct dt_hit *h = wk->wk_hit;
	const __u64 *may = dt_table.t_bypid[h->h_pid & (DT_BYPID - 1)];
	__u64 low = masks[0] & may[0], high = masks[1] & may[1], key, execs;
	const struct dt_follow *f;

	if ((low & dt_table.t_follow[0]) | (high & dt_table.t_follow[1])) {
		key = h->h_signal;
		f = bpf_map_lookup_elem(&dt_followed, &key);
		execs = dt_walk_execs(h->h_line);
		low &= ~dt_table.t_follow[0] |
		    (f ? f->fo_mask[0] | (f->fo_await[0] & execs) : 0);
		high &= ~dt_table.t_follow[1] |
		    (f ? f->fo_mask[1] | (f->fo_await[1] & execs) : 0);
	}
	if (low != 0)
		wk->wk_mask[0] = walk_word(h, low, 0);
	if (high != 0)
		wk->wk_mask[1] = walk_word(h, high, 64);
	return wk->wk_mask[0] != 0 || wk->wk_mask[1] != 0;
}

static __always_inline void
dt_walk_long(struct dt_walk *wk)
{
	bpf_loop(DT_MAXOPEN, walk_round, wk, 0);
}

#endif /* BPF_DT_WALK_BPF_H */
