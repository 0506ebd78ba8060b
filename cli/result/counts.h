/* SPDX-License-Identifier: ISC */
/* Counts of events by keys, as dt stat prints them. */
#ifndef CLI_RESULT_COUNTS_H
#define CLI_RESULT_COUNTS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct keys;
struct hist;

/* A row of stat. */
struct out_count {
	const void *oc_key; /* key of key_make() */
	uint64_t oc_count;
	int64_t oc_sum;
	const struct hist *oc_hist; /* with ot_stats; NULL: no values */
	int oc_isfull;		    /* hits of ot_nfull */
};

/* A table of counts: of the whole run, or of an interval. */
struct out_counts {
	struct keys *ot_by;		   /* keys, and the value that is
					    * summed */
	const struct out_count *ot_counts; /* descending by count */
	size_t ot_n;
	uint64_t ot_nothers; /* events of keys beyond the capacity */
	int64_t ot_othersum;
	const struct hist *ot_otherhist; /* their values, with histograms */
	uint64_t ot_nfull; /* events of keys beyond the kernel's capacity */
	uint64_t ot_nsecs; /* duration that it covers */
	int ot_isinterval;
	int ot_ishist;		/* histograms in place of a table */
	unsigned int ot_stats;	/* bits of enum hist_stat */
	int ot_istimes;		/* they, and sums, are printed by default */
	int ot_nosum;		/* no column of sums of durations */
	struct timespec ot_end; /* CLOCK_REALTIME end of an interval */
};

#endif /* CLI_RESULT_COUNTS_H */
