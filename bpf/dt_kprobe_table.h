/* SPDX-License-Identifier: ISC */
/*
 * The table of functions of the kernel, and the cookies of their links: memory
 * that the daemon and the programs of kprobe share.  Letters as in dt_shared.h.
 */
#ifndef BPF_DT_KPROBE_TABLE_H
#define BPF_DT_KPROBE_TABLE_H

#include "bpf/dt_shared.h"

/*
 * The cookie of a link names slot, run, line of the table and probe.  A run
 * is one RECORD: what a link of an earlier one still brings is no event any
 * more, however long the kernel takes to detach it.
 */
#define DT_KCOOKIE(slot, run, line, pbn) \
	((__u64)(slot) << 57 | (__u64)((run)&DT_KRUN_MASK) << 40 | \
	    (__u64)(line) << 24 | (pbn))
#define DT_KCOOKIE_SLOT(c) ((__u32)((c) >> 57))
#define DT_KCOOKIE_RUN(c)  ((__u32)((c) >> 40) & DT_KRUN_MASK)
#define DT_KCOOKIE_LINE(c) ((__u32)((c) >> 24) & (DT_NKLINE - 1))
#define DT_KCOOKIE_PBN(c)  ((__u32)(c)&0xffffff)
#define DT_KRUN_MASK	   0x1ffff /* 0 is no run */
#define DT_NKLINE	   8192	   /* lines of all opens, a power of two */
#define DT_KHOLES	   65536   /* probes disabled while they record */

/* How to read a register as a value: so many bits of it are not its own. */
#define DT_KARG_SHIFT  0x3f
#define DT_KARG_SIGNED 0x40
#define DT_KARG_STRING 0x80 /* and it points to text */

/* kl_ret */
#define DT_KRET_NONE 0x80 /* void */
#define DT_KRET_PTR  0x81 /* a pointer, or an errno in its place */

/* What an open asked of functions of one shape: all that are alike share it. */
struct dt_kline {
	struct dt_req kl_req; /* [D] */
	__u8 kl_arg[6];	      /* [D] DT_KARG_* */
	__u8 kl_nargs;	      /* [D] */
	__u8 kl_ret;	      /* [D] DT_KARG_*, DT_KRET_NONE or _PTR */
	__u32 kl_return;      /* [D] in a session: the line of the return */
};

struct dt_ktable {
	__u32 kt_run[DT_MAXOPEN];   /* [*] which run of each open counts */
	__u32 kt_holes[DT_MAXOPEN]; /* [*] it has some in dt_kholes */
	struct dt_kline kt_line[DT_NKLINE];
};

#endif /* BPF_DT_KPROBE_TABLE_H */
