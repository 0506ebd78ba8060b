/* SPDX-License-Identifier: ISC */
/*
 * Conditions, which select the hits that become events, and the keys by which
 * two hits form a pair.  Included by bpf/, daemon/, lib/ and, installed as
 * dt/cond.h, by clients.
 *
 * A condition is a program of comparisons with a fixed maximum size.  Each
 * names the next instruction for either outcome, always forward.  dtd validates
 * the program and interprets it; nothing is compiled to machine code.
 */
#ifndef WIRE_COND_H
#define WIRE_COND_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* op_kind: operand of a comparison, or part of a key */
enum dt_opd_kind {
	DT_OPD_NONE,
	DT_OPD_ARG,	 /* argument or field op_argn, as a number */
	DT_OPD_STRING,	 /* text of argument op_argn */
	DT_OPD_RETVAL,	 /* return value; -1 if the call failed */
	DT_OPD_ERRNO,	 /* errno of a return; 0 if the call succeeded */
	DT_OPD_DURATION, /* time since the first hit of a pair, ns */
	DT_OPD_PID,	 /* in the session's pid namespace */
	DT_OPD_TID,
	DT_OPD_UID, /* real user id */
	DT_OPD_CPU,
	DT_OPD_COMM, /* text: name of the thread */
	/* only in keys by which hits are counted (DTIOCSAGG) */
	DT_OPD_PROBE,  /* number of the probe */
	DT_OPD_CGROUP, /* id in the cgroup v2 hierarchy */
	DT_OPD_SOCKET, /* that id of the socket that field op_argn points to */
	/* only in conditions */
	DT_OPD_RETTEXT, /* text that the return value points to */
	DT_NOPD
};

struct dt_opd {
	__u8 op_kind;	  /* DT_OPD_* */
	__u8 op_argn;	  /* index for DT_OPD_ARG, DT_OPD_STRING, from 0 */
	__u8 op_size;	  /* size of the value: 1, 2, 4, 8; 0 for a text */
	__u8 op_issigned; /* the value is sign-extended */
	__u32 op_reserved;
};

/* in_op: compares (value & in_mask) with in_value, or two texts */
enum dt_compare {
	DT_CMP_EQ,
	DT_CMP_NE,
	DT_CMP_LT, /* these four are signed if the operand is */
	DT_CMP_LE,
	DT_CMP_GT,
	DT_CMP_GE,
	DT_CMP_PREFIX, /* of texts, which otherwise have EQ and NE only */
	DT_NCMP
};

/* in_true, in_false: index of a later instruction, or the end. */
#define DT_COND_PASS 0xff
#define DT_COND_FAIL 0xfe

struct dt_insn {
	struct dt_opd in_left;
	__u8 in_op;    /* DT_CMP_* */
	__u8 in_true;  /* next instruction if the comparison is true */
	__u8 in_false; /* next instruction if it is false */
	__u8 in_len;   /* bytes of the text; at most DT_COND_MAXSTR */
	__u32 in_text; /* offset of the text in co_text */
	__u64 in_mask;
	__u64 in_value;
};

#define DT_COND_NINSN  16
#define DT_COND_NTEXT  256
#define DT_COND_MAXSTR 64

/* A text that cannot be read (paged out at entry) lets the hit pass. */
struct dt_cond {
	__u32 co_ninsn; /* 0: all hits pass */
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
