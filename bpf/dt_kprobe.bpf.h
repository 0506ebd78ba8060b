/* SPDX-License-Identifier: ISC */
/*
 * A hit of a function of the kernel.  A link belongs to one open; its cookie
 * tells whose hit it is, and where in the table it stands how to read
 * registers.
 *
 * Whoever may attach to functions may see the kernel's addresses as well, so
 * none is hidden here.
 */
#ifndef BPF_DT_KPROBE_BPF_H
#define BPF_DT_KPROBE_BPF_H

#include "dt_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "dt_kfetch.bpf.h"
#include "dt_pair.bpf.h"

/*
 * Where a program finds arguments and result: in the registers, or asking the
 * trampoline that calls it.  Constant where the hit is inlined.
 */
#define KPROBE_REGS	  0
#define KPROBE_TRAMPOLINE 1

/*
 * Frames on top of the stack that are not shown, so that an entry begins with
 * its function and a return with who called that.  By registers it does; a
 * trampoline has the program and itself above, and at the return the function,
 * too, whose place on the stack it has taken.
 */
#define KPROBE_SKIP(from, isreturn) \
	((from) == KPROBE_TRAMPOLINE ? 2 + (isreturn) : 0)

struct dt_ktable dt_ktable;

/* Cookies without their line, of probes that were disabled while they record. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, DT_KHOLES);
	__type(key, __u64);
	__type(value, __u8);
} dt_kholes SEC(".maps");

/* A register as the value that its type makes it. */
static __always_inline __u64
kprobe_value(__u64 v, __u32 how)
{
	__u32 shift = how & DT_KARG_SHIFT;
	__u64 sign = -(__u64)((how & DT_KARG_SIGNED) != 0);

	v <<= shift;
	return ((__u64)((__s64)v >> shift) & sign) | (v >> shift & ~sign);
}

#if defined(__TARGET_ARCH_x86)
static __always_inline void
kprobe_args(struct dt_hit *h, const struct pt_regs *regs,
    const struct dt_kline *l)
{
	h->h_args[0] = kprobe_value(regs->di, l->kl_arg[0]);
	h->h_args[1] = kprobe_value(regs->si, l->kl_arg[1]);
	h->h_args[2] = kprobe_value(regs->dx, l->kl_arg[2]);
	h->h_args[3] = kprobe_value(regs->cx, l->kl_arg[3]);
	h->h_args[4] = kprobe_value(regs->r8, l->kl_arg[4]);
	h->h_args[5] = kprobe_value(regs->r9, l->kl_arg[5]);
}

static __always_inline __u64
kprobe_result(const struct pt_regs *regs)
{
	return regs->ax;
}
#elif defined(__TARGET_ARCH_arm64)
static __always_inline void
kprobe_args(struct dt_hit *h, const struct pt_regs *regs,
    const struct dt_kline *l)
{
	h->h_args[0] = kprobe_value(regs->regs[0], l->kl_arg[0]);
	h->h_args[1] = kprobe_value(regs->regs[1], l->kl_arg[1]);
	h->h_args[2] = kprobe_value(regs->regs[2], l->kl_arg[2]);
	h->h_args[3] = kprobe_value(regs->regs[3], l->kl_arg[3]);
	h->h_args[4] = kprobe_value(regs->regs[4], l->kl_arg[4]);
	h->h_args[5] = kprobe_value(regs->regs[5], l->kl_arg[5]);
}

static __always_inline __u64
kprobe_result(const struct pt_regs *regs)
{
	return regs->regs[0];
}
#endif

static __always_inline void
kprobe_return(struct dt_hit *h, __u64 v, __u32 how)
{
	h->h_isreturn = 1;
	if (how == DT_KRET_NONE)
		return; /* what the register has says nothing */
	if (how == DT_KRET_PTR &&
	    v > (__u64)-4096) { /* the kernel's MAX_ERRNO */
		h->h_ret.drr_retval = -1;
		h->h_ret.drr_error = -v;
	} else if (how & 0x80)
		h->h_ret.drr_retval = v;
	else
		h->h_ret.drr_retval = kprobe_value(v, how);
}

static __always_inline __u64
traced_arg(void *ctx, __u32 n)
{
	__u64 v = 0;

	bpf_get_func_arg(ctx, n, &v); /* it may have fewer */
	return v;
}

static __always_inline void
traced_args(struct dt_hit *h, void *ctx, const struct dt_kline *l)
{
	h->h_args[0] = kprobe_value(traced_arg(ctx, 0), l->kl_arg[0]);
	h->h_args[1] = kprobe_value(traced_arg(ctx, 1), l->kl_arg[1]);
	h->h_args[2] = kprobe_value(traced_arg(ctx, 2), l->kl_arg[2]);
	h->h_args[3] = kprobe_value(traced_arg(ctx, 3), l->kl_arg[3]);
	h->h_args[4] = kprobe_value(traced_arg(ctx, 4), l->kl_arg[4]);
	h->h_args[5] = kprobe_value(traced_arg(ctx, 5), l->kl_arg[5]);
}

static __always_inline __u64
traced_result(void *ctx)
{
	__u64 v = 0;

	bpf_get_func_ret(ctx, &v);
	return v;
}

/* The record of a hit that takes the scratch. */
static __always_inline void
kprobe_emit(void *ctx, struct dt_hit *h, struct dt_kline *l, __u32 slot,
    const __u32 kskip)
{
	__u32 want = l->kl_req.dr_evtflags, length;
	struct dt_way wy;

	if (!dt_way_begin(&wy, h, slot))
		return;
	if (!dt_pair_take(wy.wy_scratch, h, &l->kl_req, slot)) {
		dt_way_end(&wy);
		return;
	}
	if (!dt_pair_join(&wy, h, &l->kl_req))
		return;
	length = dt_build(ctx, wy.wy_scratch, h, slot, want, kskip);
	dt_pair_swap(wy.wy_scratch, h, l->kl_req.dr_bits);
	if ((want & DT_EVT_STRINGS) && (l->kl_req.dr_bits & DT_REQ_TO) == 0)
		length = dt_kfetch_all(wy.wy_scratch, h, l);
	length = dt_put_duration(wy.wy_scratch, h, l->kl_req.dr_bits, length);
	if (length >
	    DT_HEAD_BYTES + DT_REC_STRBYTES + sizeof(struct dt_rec_duration))
		length = 0; /* cannot be */
	dt_way_output(&wy, length);
}

static __always_inline struct dt_kline *
kprobe_line(__u64 cookie)
{
	return &dt_ktable.kt_line[DT_KCOOKIE_LINE(cookie)];
}

/* l: the line of the cookie, or of the return that belongs to it. */
static __always_inline int
kprobe_hit(void *ctx, __u64 cookie, struct dt_kline *l, int isreturn,
    const int from)
{
	__u32 slot = DT_KCOOKIE_SLOT(cookie) & (DT_MAXOPEN - 1);
	struct dt_open *o = &dt_table.t_open[slot];
	struct dt_hit h;
	__u64 key;

	if (dt_ktable.kt_run[slot] != DT_KCOOKIE_RUN(cookie))
		return 0;
	key = cookie & ~DT_KCOOKIE(0, 0, 0xffff, 0);
	if (dt_ktable.kt_holes[slot] &&
	    bpf_map_lookup_elem(&dt_kholes, &key) != NULL)
		return 0;
	__builtin_memset(&h, 0, sizeof(h));
	dt_hit_task(&h, bpf_get_current_task_btf());
	if (!dt_passes(o, &h) || !dt_follows(o, &h, slot))
		return 0;
	h.h_pbn = DT_KCOOKIE_PBN(cookie);
	if (isreturn)
		kprobe_return(&h,
		    from == KPROBE_REGS ? kprobe_result(ctx)
					: traced_result(ctx),
		    l->kl_ret);
	else {
		if (from == KPROBE_REGS)
			kprobe_args(&h, ctx, l);
		else
			traced_args(&h, ctx, l);
		h.h_nargs = l->kl_nargs;
	}
	if (!dt_hit_open(&h, &l->kl_req, slot, 0))
		return 0;
	if ((l->kl_req.dr_bits & DT_REQ_PAIR) &&
	    !dt_pair_hit(&h, &l->kl_req, slot))
		return 0;
	kprobe_emit(ctx, &h, l, slot, KPROBE_SKIP(from, isreturn));
	return 0;
}

#endif /* BPF_DT_KPROBE_BPF_H */
