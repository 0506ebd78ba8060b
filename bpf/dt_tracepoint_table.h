/* SPDX-License-Identifier: ISC */
/*
 * The table of tracepoints and raw tracepoints: memory that the daemon and
 * their programs share.  Letters as in dt_shared.h.
 */
#ifndef BPF_DT_TRACEPOINT_TABLE_H
#define BPF_DT_TRACEPOINT_TABLE_H

#include "bpf/dt_shared.h"

/*
 * Fields of a tracepoint's record, as the provider tracepoint has them.  The
 * values of the first DT_TP_FAST are cut out of a copy of the record's first
 * DT_TP_WORDS words: a word, shifted up so that what is above the field is
 * gone, and down again.
 */
#define DT_TP_LINES  2048 /* a power of two */
#define DT_TP_FIELDS 24	  /* DT_REC_NARGS */
#define DT_TP_FAST   6	  /* arguments of struct dt_hit */
#define DT_TP_WORDS  16
#define DT_TP_QWORDS 8 /* of them, that dt_prov_tracepoint_fast.bpf.c loads */

struct dt_tpfast {
	__u8 ft_word;
	__u8 ft_up;
	__u8 ft_down;
	__u8 ft_bits; /* DT_TP_* */
};

#define DT_TP_SIGNED 0x1 /* extended by its sign */
#define DT_TP_VALUE  0x2 /* it has a value; else that is 0 */

enum dt_field_how {
	DT_FIELD_NUMBER,
	DT_FIELD_CHARS,	   /* text that stands in the record */
	DT_FIELD_LOCCHARS, /* the same, where __data_loc says */
	DT_FIELD_KERNTEXT, /* a pointer to text of the kernel */
	DT_FIELD_USERTEXT, /* and of the process */
	DT_FIELD_BYTES,	   /* bytes that stand in the record */
	DT_FIELD_LOCBYTES,
};

struct dt_field {
	__u16 fi_off;	/* from the beginning of the record */
	__u16 fi_size;	/* bytes of it there */
	__u16 fi_base;	/* __rel_loc: what it counts from; else 0 */
	__u8 fi_how;	/* enum dt_field_how */
	__u8 fi_signed; /* of a number */
};

/* tl_bits */
#define DT_TP_RAW   0x1 /* a raw tracepoint: arguments, 64 bits each */
#define DT_TP_QUICK 0x2 /* for some open the quick program will do */
#define DT_TP_EXEC  0x4 /* sched_process_exec */

/* One tracepoint. */
struct dt_tpline {
	__u64 tl_mask[DT_MASKWORDS]; /* [*] opens that want it */
	__u32 tl_pbn;		     /* [D] */
	__u8 tl_nfields;	     /* [D] */
	__u8 tl_nwords; /* [*] that have those values; 0: nobody wants them */
	__u8 tl_slow;	/* [D] bits of the first fields: read one by one */
	__u8 tl_bits;	/* [*] DT_TP_RAW and so on */
	struct dt_tpfast tl_fast[DT_TP_FAST];	/* [D] */
	struct dt_field tl_field[DT_TP_FIELDS]; /* [D] */
};

struct dt_tptable {
	struct dt_tpline tt_line[DT_TP_LINES];
	struct dt_req tt_req[DT_MAXOPEN][DT_TP_LINES]; /* [D] */
};

#endif /* BPF_DT_TRACEPOINT_TABLE_H */
