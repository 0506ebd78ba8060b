/* SPDX-License-Identifier: ISC */
/*
 * Aggregations: how hits of a probe are counted by key instead of becoming
 * events.  Rows of the map dt_aggdescs and of a session's table of counts,
 * shared by daemon/dt/dt_agg.c and the programs.
 */
#ifndef BPF_DT_AGG_TABLE_H
#define BPF_DT_AGG_TABLE_H

#include <linux/types.h>

#include "bpf/dt_cond_table.h"

#define DT_AGG_NDESCS	    32 /* for each session */
#define DT_AGGDESC(slot, n) ((slot)*DT_AGG_NDESCS + (n))
#define DT_AGG_NPARTS	    4 /* parts of a key, = DTAG_NKEYS */
#define DT_AGG_NWORDS	    5 /* words of all parts, = DTAG_NWORDS */
/*
 * One of DT_AGG_VOTE hits sets dc_hitpbn.  A sample by time would favour
 * processes that use the CPU and have few hits.
 */
#define DT_AGG_VOTE 4096

/* agd_bits */
#define DT_AGG_VALUE  0x1 /* agd_value is a value */
#define DT_AGG_OKONLY 0x2 /* failed calls have no value */

/* agd_hist: hits with equal keys share a row if their values are in one bucket */
enum dt_agg_hist {
	DT_AGG_PLAIN,  /* one bucket for all values */
	DT_AGG_LOG,    /* 2^agd_sub buckets for each power of two */
	DT_AGG_LINEAR, /* agd_nsteps buckets of agd_step from agd_min on */
};

/*
 * Description of an aggregation. D: written by dtd before a session starts; the
 * last two are of the session's tables.
 */
struct dt_aggdesc {
	__u8 agd_nparts;			/* [D] */
	__u8 agd_bits;				/* [D] DT_AGG_* */
	__u8 agd_hist;				/* [D] enum dt_agg_hist */
	__u8 agd_sub;				/* [D] of DT_AGG_LOG */
	__u32 agd_nsteps;			/* [D] of DT_AGG_LINEAR */
	__s64 agd_min;				/* [D] of DT_AGG_LINEAR */
	__u64 agd_step;				/* [D] of DT_AGG_LINEAR, > 0 */
	__u64 agd_divisor;			/* [D] of the value; 0: none */
	struct dt_look agd_part[DT_AGG_NPARTS]; /* [D] the key */
	struct dt_look agd_value;		/* [D] with DT_AGG_VALUE */
	__u32 agd_nrows; /* [D] rows of a table, a power of two */
	__u32 agd_max;	 /* [D] rows in use at most */
};

/*
 * Key of a row.  It contains the CPU, so two CPUs never write to the same row.
 */
struct dt_aggkey {
	__u64 agk_word[DT_AGG_NWORDS]; /* the parts; the rest is 0 */
	__u64 agk_bucket; /* DT_AGG_NOVALUE, or a bucket, with the CPU above */
};

#define DT_AGG_CPUSHIFT	 40
#define DT_AGG_BUCKET(b) ((b) & ((1ULL << DT_AGG_CPUSHIFT) - 1))
#define DT_AGG_CPU(b)	 ((b) >> DT_AGG_CPUSHIFT)

#define DT_AGG_NOVALUE	 0 /* hits without a value */
#define DT_AGG_FIRST	 1 /* the first bucket, the only one of DT_AGG_PLAIN */
/* Flag in agk_bucket: a bucket of negative numbers, with DT_AGG_LOG. */
#define DT_AGG_NEGATIVE (1ULL << 32)

/* Written by BPF, atomically: a hit may interrupt another on its CPU. */
struct dt_aggrow {
	__u64 agr_count;
	__s64 agr_sum; /* the rest: of the values */
	__s64 agr_min;
	__s64 agr_max;
};

/*
 * A table of counts: an array of agd_nrows elements, and one more, whose first
 * slot is the number of rows in use; agd_max or more: all.  Rows are taken in
 * order, so only those in use are read.  The hash that finds them has two slots
 * in each element.
 */
#define DT_AGG_SLOTS 2

struct dt_aggelem {
	__u64 age_slot[DT_AGG_SLOTS]; /* [B] hash, row plus 1; 0: free */
	struct dt_aggkey age_key;     /* [B] of the row */
	struct dt_aggrow age_row;     /* [B] the row */
	__u64 age_at;		      /* [B] slot of the row plus 1; 0: none */
};

#endif /* BPF_DT_AGG_TABLE_H */
