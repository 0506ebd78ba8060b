/* SPDX-License-Identifier: ISC */
/*
 * The table of tracepoints and raw tracepoints, shared by the daemon and their
 * programs.
 *
 * Letters: D: written by the daemon before a session's bit is set in tl_mask,
 * then constant while a session uses the row; *: written by the daemon at any
 * time, read by BPF.
 */
#ifndef BPF_DT_TRACEPOINT_TABLE_H
#define BPF_DT_TRACEPOINT_TABLE_H

#include "bpf/dt_shared.h"

/*
 * Fields of a tracepoint's record.  The values of the first DT_TP_FAST fields
 * are extracted from a copy of the record's first DT_TP_WORDS words: a word is
 * shifted up to remove the bits above the field, and down again.
 */
#define DT_TP_ENTRIES 2048 /* a power of two */
#define DT_TP_FIELDS  24   /* DT_REC_NARGS */
#define DT_TP_FAST    6	   /* arguments of struct dt_hit */
#define DT_TP_WORDS   16
#define DT_TP_QWORDS  8 /* words that the fast program loads */

struct dt_tpfast {
	__u8 ft_word;
	__u8 ft_up;
	__u8 ft_down;
	__u8 ft_bits; /* DT_TP_* */
};

#define DT_TP_SIGNED 0x1 /* sign-extended */
#define DT_TP_VALUE  0x2 /* has a value; else the value is 0 */

enum dt_field_how {
	DT_FIELD_NUMBER,
	DT_FIELD_CHARS,	   /* text in the record */
	DT_FIELD_LOCCHARS, /* text at a __data_loc */
	DT_FIELD_KERNTEXT, /* pointer to kernel text */
	DT_FIELD_USERTEXT, /* pointer to user text */
	DT_FIELD_BYTES,	   /* bytes in the record */
	DT_FIELD_LOCBYTES,
};

struct dt_field {
	__u16 fld_off;	 /* offset in the record */
	__u16 fld_size;	 /* size in the record */
	__u16 fld_base;	 /* base of a __rel_loc; else 0 */
	__u8 fld_how;	 /* enum dt_field_how */
	__u8 fld_signed; /* of a number: sign-extended */
};

/* tl_bits */
#define DT_TP_RAW 0x1 /* raw tracepoint: arguments of 64 bits */
/* a session wants it that the fast program can serve */
#define DT_TP_QUICK 0x2
#define DT_TP_EXEC  0x4 /* the tracepoint sched_process_exec */

/* Row of one tracepoint. */
struct dt_tp_entry {
	__u64 tl_mask[DT_MASKWORDS]; /* [*] sessions that want it */
	__u32 tl_pbn;		     /* [D] */
	__u8 tl_nfields;	     /* [D] */
	/* [*] words of the first fields; 0: no session wants them */
	__u8 tl_nwords;
	__u8 tl_slow; /* [D] bits of first fields that are read one by one */
	__u8 tl_bits; /* [*] DT_TP_RAW, DT_TP_QUICK, DT_TP_EXEC */
	struct dt_tpfast tl_fast[DT_TP_FAST];	/* [D] */
	struct dt_field tl_field[DT_TP_FIELDS]; /* [D] */
};

struct dt_tp_table {
	struct dt_tp_entry tpt_entry[DT_TP_ENTRIES];
	struct dt_req tpt_req[DT_MAXSESS][DT_TP_ENTRIES]; /* [D] */
};

#endif /* BPF_DT_TRACEPOINT_TABLE_H */
