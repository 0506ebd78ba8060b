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
	const void *oc_key; /* of key_make() */
	uint64_t oc_count;
	int64_t oc_sum;
	const struct hist *oc_hist; /* with ot_ishist; NULL: no value came */
};

/* A table of counts: of the whole run, or of an interval. */
struct out_counts {
	struct keys *ot_by;		   /* what by, and what was added up */
	const struct out_count *ot_counts; /* the highest first */
	size_t ot_n;
	uint64_t ot_nothers; /* events of keys that had no room */
	int64_t ot_othersum;
	uint64_t ot_nsecs; /* time that it covers */
	int ot_isinterval;
	int ot_ishist; /* instead of a table: how the values are spread */
	struct timespec ot_end; /* CLOCK_REALTIME, of an interval */
};

#endif /* CLI_RESULT_COUNTS_H */
