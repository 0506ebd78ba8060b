/* SPDX-License-Identifier: ISC */
/*
 * Processes a hit of a function, for kprobe, fentry and uprobe programs.  A
 * link belongs to one session; its cookie names the session, the probe, and the
 * row that describes the registers.
 *
 * Kernel addresses are recorded: a client that may attach to functions may also
 * see them.
 */
#ifndef BPF_DT_KPROBE_BPF_H
#define BPF_DT_KPROBE_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include "bpf/dt_kprobe_fetch.bpf.h"
#include "bpf/dt_kprobe_regs.bpf.h"
#include "bpf/dt_uplaces.bpf.h"
#include "bpf/dt_pair.bpf.h"
#include "bpf/dt_reads.bpf.h"

/*
 * Frames to skip at the top of the stack, so that the stack of an entry begins
 * with the function and the stack of a return with its caller.  Register-based
 * hooks need none.  A trampoline adds the program and itself, and at the
 * return also the function, whose stack slot it occupies.
 */
#define KPROBE_SKIP(from, isreturn) \
	((from) == KPROBE_TRAMPOLINE ? 2 + (isreturn) : 0)

/* Emits a record that takes the scratch. */
static __always_inline void
kprobe_emit(void *ctx, struct dt_hit *h, struct dt_kprobe_entry *l, __u32 slot,
    const int from, const int tables)
{
	const int isuser = from == KPROBE_USER;
	__u32 want = l->kl_req.rq_evtflags, length;
	struct dt_way wy;

	if (!dt_way_begin(&wy, h, slot))
		return;
	if (!dt_pair_take(wy.wy_scratch, h, &l->kl_req, slot)) {
		dt_way_end(&wy);
		return;
	}
	if (l->kl_req.rq_bits & DT_REQ_FROM) {
		dt_pair_open(wy.wy_scratch, slot);
		if (want & DT_EVT_STRINGS)
			dt_kfetch_all(wy.wy_scratch, h, l, isuser);
		dt_pair_keep(h, &l->kl_req, slot);
		dt_way_end(&wy);
		return;
	}
	if (!dt_pair_join(&wy, h, &l->kl_req))
		return;
	if (dt_agg_pair(&wy, h, &l->kl_req, slot))
		return;
	length = dt_build(ctx, wy.wy_scratch, h, slot, want,
	    KPROBE_SKIP(from, h->h_isreturn), tables);
	if (isuser && h->h_nargs > DT_UPLACE_HARGS && (want & DT_EVT_FUNCARGS))
		uplaces_more(wy.wy_scratch, h);
	dt_pair_swap(wy.wy_scratch, h, l->kl_req.rq_bits);
	length = kfetch_hit(wy.wy_scratch, h, l, isuser, length);
	if (tables) /* a trampoline has saved no registers */
		wy.wy_scratch->scr_regs = from == KPROBE_TRAMPOLINE
		    ? 0
		    : (__u64)ctx;
	length = dt_put_reads(wy.wy_scratch, h, &l->kl_req, length, tables);
	dt_put_duration(wy.wy_scratch, h, l->kl_req.rq_bits, length);
	dt_agg_output(&wy, h, l->kl_req.rq_agg, slot);
}

/*
 * Processes a hit.  l: row of the cookie, or of the return that belongs to it.
 */
static __always_inline int
kprobe_hit(void *ctx, __u64 cookie, struct dt_kprobe_entry *l, int isreturn,
    const int from, const int tables)
{
	__u32 slot = DT_KCOOKIE_SLOT(cookie) & (DT_MAXSESS - 1);
	struct dt_sess *o = &dt_table.t_sess[slot];
	__u64 more[DT_UPLACE_MORE];
	struct dt_hit h;

	if (!kprobe_counts(cookie, slot))
		return 0;
	__builtin_memset(&h, 0, sizeof(h));
	dt_hit_task(&h, dt_task());
	if (!dt_passes(o, &h) || !dt_follows(o, &h, slot))
		return 0;
	h.h_pbn = DT_KCOOKIE_PBN(cookie);
	h.h_isreturn = isreturn;
	if (isreturn)
		kprobe_return(&h.h_ret, ctx, l->kl_ret, from);
	else {
		if (from == KPROBE_USER && l->kl_places != 0) {
			uplaces_args(h.h_args, more, ctx, l);
			h.h_raw = (__u64)more;
		} else
			kprobe_args(h.h_args, ctx, l, from, KPROBE_NARGS);
		h.h_nargs = l->kl_nargs;
	}
	if (!dt_hit_sess(&h, &l->kl_req, slot, 0))
		return 0;
	if ((l->kl_req.rq_bits & DT_REQ_PAIR) &&
	    !dt_pair_hit(&h, &l->kl_req, slot))
		return 0;
	kprobe_emit(ctx, &h, l, slot, from, tables);
	return 0;
}

#endif /* BPF_DT_KPROBE_BPF_H */
