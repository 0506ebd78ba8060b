/* SPDX-License-Identifier: ISC */
/*
 * Compiled conditions of probes: rows of the map dt_conds, which daemon/dt/
 * writes and the programs evaluate.
 */
#ifndef BPF_DT_COND_TABLE_H
#define BPF_DT_COND_TABLE_H

#include <linux/types.h>

#include <dt/cond.h>

/*
 * Rows of dt_conds, each compiled from a struct dt_cond.  Sessions with
 * equivalent conditions share a row.
 */
#define DT_NCOND 1024 /* row 0 is unused */

/* Operand of a comparison. */
enum dt_look_how {
	DT_LOOK_HIT,	/* number: lo_size bytes at lo_off of struct dt_hit */
	DT_LOOK_RAW,	/* number: lo_size bytes at lo_off of the record */
	DT_LOOK_MORE,	/* number: an argument at lo_off of h_raw */
	DT_LOOK_CGROUP, /* number: id of the cgroup; in keys of counts only */
	/* number: id of the cgroup of the socket at the address at lo_off of
	 * the record; in keys of counts only */
	DT_LOOK_SOCKET,
	DT_LOOK_COMM,	  /* text: the thread's name; the rest are texts, too */
	DT_LOOK_USERTEXT, /* at the user address at lo_off of dt_hit */
	DT_LOOK_KERNTEXT, /* at the kernel address at lo_off of dt_hit */
	DT_LOOK_RAWTEXT,  /* at lo_off of the record */
	DT_LOOK_RAWLOC, /* at the __data_loc that is at lo_off of the record */
	DT_LOOK_ADDRTEXT, /* at the address at lo_off of dt_hit, either kind */
	DT_LOOK_RAWUSER, /* at the user address that is at lo_off of the record */
};

struct dt_look {
	__u8 lo_how;  /* DT_LOOK_* */
	__u8 lo_size; /* 1, 2, 4, 8; 0 for a text */
	__u8 lo_issigned;
	__u8 lo_pad;
	__u32 lo_off;
};

/* Outcome of a comparison. */
enum dt_outcome {
	DT_LESS, /* or a different text */
	DT_EQUAL,
	DT_GREATER,
	DT_UNKNOWN, /* text that cannot be read */
};

/* Bits of stp_holds: outcomes for which a comparison is true. */
#define DT_IS_LESS    (1 << DT_LESS)
#define DT_IS_EQUAL   (1 << DT_EQUAL)
#define DT_IS_GREATER (1 << DT_GREATER)

struct dt_step {
	struct dt_look stp_look;
	__u8 stp_holds; /* DT_IS_* */
	__u8 stp_true;	/* next step, DT_COND_PASS or DT_COND_FAIL */
	__u8 stp_false;
	__u8 stp_len;	/* bytes of the text to compare, with its NUL */
	__u32 stp_text; /* index in ce_text of the text's first word */
	__u64 stp_mask;
	__u64 stp_value; /* sign bit inverted if signed */
};

/* A text occupies whole words; the last is padded with NULs. */
#define DT_COND_TEXTWORDS (DT_COND_MAXSTR / 8 + 1)
#define DT_COND_NWORDS	  (DT_COND_NTEXT / 8 + DT_COND_NINSN)

struct dt_cond_entry {
	struct dt_step ce_step[DT_COND_NINSN];
	__u64 ce_text[DT_COND_NWORDS + DT_COND_TEXTWORDS];
};

#endif /* BPF_DT_COND_TABLE_H */
