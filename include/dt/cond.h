/* SPDX-License-Identifier: ISC */
/*
 * Conditions: which hits of a probe become events, and which value two hits
 * have in common that belong together.  Included by bpf/, daemon/, lib/ and,
 * installed as dt/cond.h, by clients.
 *
 * A condition is a fixed-size program of comparisons.  Each says where to go on
 * if it holds and where if not, always forwards; dtd tests that, and nothing
 * is ever compiled from it.
 */
#ifndef WIRE_COND_H
#define WIRE_COND_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* op_kind: what is looked at */
enum dt_opd_kind {
	DT_OPD_NONE,
	DT_OPD_ARG,	 /* argument or field op_argn, as a number */
	DT_OPD_STRING,	 /* the text of that argument */
	DT_OPD_RETVAL,	 /* of a return; -1 if it failed */
	DT_OPD_ERRNO,	 /* of a return; 0 if it did not fail */
	DT_OPD_DURATION, /* of the second of a pair, ns */
	DT_OPD_PID,	 /* as the open's pid namespace counts */
	DT_OPD_TID,
	DT_OPD_UID, /* real user id */
	DT_OPD_CPU,
	DT_OPD_COMM, /* text: name of the thread */
	DT_NOPD
};

struct dt_opd {
	__u8 op_kind;	  /* DT_OPD_* */
	__u8 op_argn;	  /* of DT_OPD_ARG, DT_OPD_STRING; 0 is the first */
	__u8 op_size;	  /* bytes that count: 1, 2, 4, 8; 0 for a text */
	__u8 op_issigned; /* they are extended by their sign */
	__u32 op_reserved;
};

/* in_op: (value & in_mask) against in_value, or a text against another */
enum dt_compare {
	DT_CMP_EQ,
	DT_CMP_NE,
	DT_CMP_LT, /* these four by the sign, if the operand has one */
	DT_CMP_LE,
	DT_CMP_GT,
	DT_CMP_GE,
	DT_CMP_PREFIX, /* of a text only, which has EQ and NE beside it */
	DT_NCMP
};

/* in_true, in_false: an instruction behind this one, or the end. */
#define DT_COND_PASS 0xff
#define DT_COND_FAIL 0xfe

struct dt_insn {
	struct dt_opd in_left;
	__u8 in_op;    /* DT_CMP_* */
	__u8 in_true;  /* where to go on if it holds */
	__u8 in_false; /* and if not */
	__u8 in_len;   /* bytes of the text; at most DT_COND_MAXSTR */
	__u32 in_text; /* where in co_text it begins */
	__u64 in_mask;
	__u64 in_value;
};

#define DT_COND_NINSN  16
#define DT_COND_NTEXT  256
#define DT_COND_MAXSTR 64

/* A text that can't be read (paged out at entry) lets the hit pass. */
struct dt_cond {
	__u32 co_ninsn; /* 0: all pass */
	__u32 co_reserved;
	struct dt_insn co_insn[DT_COND_NINSN];
	char co_text[DT_COND_NTEXT];
};

#ifndef __cplusplus
_Static_assert(sizeof(struct dt_opd) == 8, "opd");
_Static_assert(sizeof(struct dt_insn) == 32, "insn");
_Static_assert(sizeof(struct dt_cond) == 776, "condition");
#endif

#endif /* WIRE_COND_H */
