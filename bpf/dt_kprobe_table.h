/* SPDX-License-Identifier: ISC */
/*
 * The table of functions and the cookies of their links, shared by the daemon
 * and the programs of the providers kprobe, uprobe and usdt.
 *
 * Letters: D: written by the daemon before a link refers to the row, then
 * constant until the grace period after the run; *: written by the daemon at
 * any time, read by BPF.
 */
#ifndef BPF_DT_KPROBE_TABLE_H
#define BPF_DT_KPROBE_TABLE_H

#include "bpf/dt_shared.h"

/*
 * Cookie of a link: slot, run, row and probe.  A run is one RECORD.  Hits of
 * a link of an earlier run are ignored, however long the kernel takes to detach
 * it.
 */
#define DT_KCOOKIE(slot, run, line, pbn) \
	((__u64)(slot) << 57 | (__u64)((run)&DT_KRUN_MASK) << 40 | \
	    (__u64)(line) << 24 | (pbn))
#define DT_KCOOKIE_SLOT(c)  ((__u32)((c) >> 57))
#define DT_KCOOKIE_RUN(c)   ((__u32)((c) >> 40) & DT_KRUN_MASK)
#define DT_KCOOKIE_ENTRY(c) ((__u32)((c) >> 24) & (DT_NKENTRY - 1))
#define DT_KCOOKIE_PBN(c)   ((__u32)(c)&0xffffff)
#define DT_KRUN_MASK	    0x1ffff /* 0: no run */
#define DT_NKENTRY	    8192    /* rows of all sessions, a power of two */
#define DT_KHOLES	    65536   /* probes disabled during a recording */

/*
 * Conversion of a register to a value: the number of unused upper bits, and
 * flags.
 */
#define DT_KARG_SHIFT  0x3f
#define DT_KARG_SIGNED 0x40
#define DT_KARG_STRING 0x80 /* it points to a string: for kl_texts */

/* kl_ret */
#define DT_KRET_NONE 0x80 /* void */
#define DT_KRET_PTR  0x81 /* a pointer or a negative errno */

/*
 * A session's settings for functions of one shape, shared by all functions of
 * that shape.
 */
struct dt_kprobe_entry {
	struct dt_req kl_req; /* [D] */
	__u8 kl_arg[6];	      /* [D] DT_KARG_* */
	__u8 kl_nargs;	      /* [D] */
	__u8 kl_ret;	      /* [D] DT_KARG_*, DT_KRET_NONE or _PTR */
	__u32 kl_return;      /* [D] of a session: row of the return */
	__u32 kl_returnpbn;   /* [D] the return's number minus the entry's */
	__u32 kl_places;      /* [D] row of dt_uplaces, 0: by convention */
	__u16 kl_rettext;     /* [D] the result points to a string */
	__u16 kl_texts;	      /* [D] bits of arguments that point to strings */
};

/* How the value of an argument of a user program is found. */
enum dt_uplace_how {
	DT_UPLACE_NONE,	 /* unknown: 0 */
	DT_UPLACE_VALUE, /* the number upl_value */
	DT_UPLACE_REG,	 /* in the register at upl_reg */
	/* in memory at the register plus upl_value */
	DT_UPLACE_MEM,
	/* the same, plus the register at upl_index times upl_scale */
	DT_UPLACE_INDEX,
};

struct dt_uplace {
	__u8 upl_how;	 /* [D] enum dt_uplace_how */
	__u8 upl_size;	 /* [D] bytes in memory: 1, 2, 4 or 8 */
	__u8 upl_shift;	 /* [D] REG: bits below the value */
	__u8 upl_scale;	 /* [D] 1, 2, 4 or 8 */
	__u16 upl_reg;	 /* [D] offset in struct pt_regs */
	__u16 upl_index; /* [D] offset in struct pt_regs */
	__s64 upl_value; /* [D] */
};

#define DT_UPLACE_NARGS 12 /* as a static probe can have */
#define DT_UPLACE_HARGS 6  /* the first ones, in h_args of struct dt_hit */
#define DT_UPLACE_MORE	(DT_UPLACE_NARGS - DT_UPLACE_HARGS) /* at h_raw */
#define DT_NUPLACES	4096 /* rows of all sessions, a power of two */

struct dt_uplaces {
	struct dt_uplace upp_arg[DT_UPLACE_NARGS];
	__u8 upp_how[DT_UPLACE_NARGS]; /* [D] DT_KARG_* */
	__u8 upp_pad[4];
};

struct dt_kprobe_table {
	__u32
	    ktb_run[DT_MAXSESS]; /* [*] current run of each session, 0: none */
	__u32 ktb_holes[DT_MAXSESS]; /* [*] it has entries in dt_kholes */
	struct dt_kprobe_entry ktb_entry[DT_NKENTRY];
};

#endif /* BPF_DT_KPROBE_TABLE_H */
