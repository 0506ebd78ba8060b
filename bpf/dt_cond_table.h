/* SPDX-License-Identifier: ISC */
/*
 * Conditions, as daemon/dt/ writes them and the programs evaluate them.
 */
#ifndef BPF_DT_COND_TABLE_H
#define BPF_DT_COND_TABLE_H

#include <linux/types.h>

#include <dt/cond.h>

/*
 * A condition as the programs evaluate it: a line of dt_conds, made from a
 * struct dt_cond.  Opens whose conditions come to the same share the line.
 */
#define DT_NCOND 1024 /* line 0 is not used */

/* What is looked at. */
enum dt_look_how {
	DT_LOOK_HIT,	  /* number: lo_size bytes at lo_off of struct dt_hit */
	DT_LOOK_RAW,	  /* number: the same of the record at h_raw */
	DT_LOOK_COMM,	  /* text: the thread's name; texts from here on */
	DT_LOOK_USERTEXT, /* at the user's address that is at lo_off of dt_hit */
	DT_LOOK_KERNTEXT, /* the same of the kernel */
	DT_LOOK_RAWTEXT,  /* at lo_off of the record */
	DT_LOOK_RAWLOC,	  /* where the __data_loc at lo_off of it says */
	DT_LOOK_ADDRTEXT, /* at the address at lo_off of dt_hit, whosever */
};

struct dt_look {
	__u8 lo_how;  /* DT_LOOK_* */
	__u8 lo_size; /* 1, 2, 4, 8; 0 for a text */
	__u8 lo_issigned;
	__u8 lo_pad;
	__u32 lo_off;
};

/* What comes of a comparison. */
enum dt_outcome {
	DT_LESS, /* or another text */
	DT_EQUAL,
	DT_GREATER,
	DT_UNKNOWN, /* a text that cannot be read */
};

/* st_holds: a comparison holds if its outcome is among these. */
#define DT_IS_LESS    (1 << DT_LESS)
#define DT_IS_EQUAL   (1 << DT_EQUAL)
#define DT_IS_GREATER (1 << DT_GREATER)

struct dt_step {
	struct dt_look st_look;
	__u8 st_holds; /* DT_IS_* */
	__u8 st_true;  /* next step, or DT_COND_PASS, DT_COND_FAIL */
	__u8 st_false;
	__u8 st_len;   /* bytes of the text that count, with its NUL */
	__u32 st_text; /* word of cl_text where it begins */
	__u64 st_mask;
	__u64 st_value; /* if signed, its sign bit is the other way round */
};

/* A text takes whole words, the last filled with NULs. */
#define DT_COND_TEXTWORDS (DT_COND_MAXSTR / 8 + 1)
#define DT_COND_NWORDS	  (DT_COND_NTEXT / 8 + DT_COND_NINSN)

struct dt_condline {
	struct dt_step cl_step[DT_COND_NINSN];
	__u64 cl_text[DT_COND_NWORDS + DT_COND_TEXTWORDS];
};

#endif /* BPF_DT_COND_TABLE_H */
