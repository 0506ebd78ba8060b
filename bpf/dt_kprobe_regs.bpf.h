/* SPDX-License-Identifier: ISC */
/*
 * Shared by all programs of kernel functions: the table of rows, whether a
 * link's run is current, and values of arguments and results.
 */
#ifndef BPF_DT_KPROBE_REGS_BPF_H
#define BPF_DT_KPROBE_REGS_BPF_H

#include "vmlinux/dt_vmlinux.h"

#include <bpf/bpf_tracing.h>

#include "bpf/dt_hit.h"
#include "bpf/dt_kprobe_table.h"
#include "bpf/dt_maps.bpf.h"

/*
 * Source of arguments and result: the registers, or the trampoline that calls
 * the program.  A constant after inlining.
 */
#define KPROBE_REGS	  0
#define KPROBE_TRAMPOLINE 1
#define KPROBE_USER	  2 /* registers of a user program */

#define KPROBE_NARGS	  6 /* h_args of struct dt_hit */

struct dt_kprobe_table dt_ktable;

/*
 * Probes disabled during a recording, as cookies without their row.  Written
 * by dtd.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, DT_KHOLES);
	__type(key, __u64);
	__type(value, __u8);
} dt_kholes SEC(".maps");

static __always_inline struct dt_kprobe_entry *
kprobe_entry_of(__u64 cookie)
{
	return &dt_ktable.ktb_entry[DT_KCOOKIE_ENTRY(cookie)];
}

/* Returns the row of the return, of a session. */
static __always_inline struct dt_kprobe_entry *
kprobe_return_entry(const struct dt_kprobe_entry *l)
{
	return &dt_ktable.ktb_entry[l->kl_return & (DT_NKENTRY - 1)];
}

/* Returns the cookie that a link of the return alone would have, but its row. */
static __always_inline __u64
kprobe_return_cookie(__u64 cookie, const struct dt_kprobe_entry *l)
{
	return (cookie & ~0xffffffULL) |
	    DT_KCOOKIE_PBN(cookie + l->kl_returnpbn);
}

/* Returns whether a link counts: its run is current and its probe enabled. */
static __always_inline int
kprobe_counts(__u64 cookie, __u32 slot)
{
	__u64 key;

	if (dt_ktable.ktb_run[slot] != DT_KCOOKIE_RUN(cookie))
		return 0;
	if (dt_ktable.ktb_holes[slot] == 0)
		return 1;
	key = cookie & ~DT_KCOOKIE(0, 0, 0xffff, 0);
	return bpf_map_lookup_elem(&dt_kholes, &key) == NULL;
}

/* Returns a register as a value of its type. */
static __always_inline __u64
kprobe_value(__u64 v, __u32 how)
{
	__u32 shift = how & DT_KARG_SHIFT;

	if (shift == 0)
		return v; /* pointers and longs, the usual case */
	v <<= shift;
	return how & DT_KARG_SIGNED ? (__u64)((__s64)v >> shift) : v >> shift;
}

#if defined(__TARGET_ARCH_x86)
static __always_inline __u64
kprobe_register(const struct pt_regs *regs, const __u32 n)
{
	const __u64 args[] = { regs->di, regs->si, regs->dx, regs->cx, regs->r8,
		regs->r9 };

	return args[n];
}

static __always_inline __u64
kprobe_result(const struct pt_regs *regs)
{
	return regs->ax;
}
#elif defined(__TARGET_ARCH_arm64)
static __always_inline __u64
kprobe_register(const struct pt_regs *regs, const __u32 n)
{
	return regs->regs[n];
}

static __always_inline __u64
kprobe_result(const struct pt_regs *regs)
{
	return regs->regs[0];
}
#endif

static __always_inline __u64
traced_arg(void *ctx, __u32 n)
{
	__u64 v = 0;

	bpf_get_func_arg(ctx, n, &v); /* fails if it has fewer */
	return v;
}

static __always_inline __u64
traced_result(void *ctx)
{
	__u64 v = 0;

	bpf_get_func_ret(ctx, &v);
	return v;
}

/* Reads the first n arguments; n is a constant after inlining. */
static __always_inline void
kprobe_args(__u64 *args, void *ctx, const struct dt_kprobe_entry *l,
    const int from, const __u32 n)
{
	__u32 i;

#pragma unroll
	for (i = 0; i < KPROBE_NARGS; i++)
		if (i < n)
			args[i] = kprobe_value(from != KPROBE_TRAMPOLINE
				? kprobe_register(ctx, i)
				: traced_arg(ctx, i),
			    l->kl_arg[i]);
}

static __always_inline void
kprobe_return(struct dt_rec_ret *ret, void *ctx, __u32 how, const int from)
{
	__u64 v = from != KPROBE_TRAMPOLINE ? kprobe_result(ctx)
					    : traced_result(ctx);

	ret->drr_retval = ret->drr_error = 0;
	if (how == DT_KRET_NONE)
		return; /* the register is undefined */
	if (how == DT_KRET_PTR &&
	    v > (__u64)-4096) { /* the kernel's MAX_ERRNO */
		ret->drr_retval = -1;
		ret->drr_error = -v;
	} else if (how & 0x80)
		ret->drr_retval = v;
	else
		ret->drr_retval = kprobe_value(v, how);
}

#endif /* BPF_DT_KPROBE_REGS_BPF_H */
