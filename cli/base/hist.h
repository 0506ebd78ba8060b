/* SPDX-License-Identifier: ISC */
/* Histograms with one bucket per power of two. */
#ifndef CLI_BASE_HIST_H
#define CLI_BASE_HIST_H

#include <stdint.h>

#include "cli/base/buf.h"

#define HIST_NBUCKETS 65 /* below 0, 0, 1, 2 to 3, ... 2^62 and more */

struct hist {
	uint64_t hi_count;
	int64_t hi_sum; /* saturates at the limits of int64_t */
	uint64_t hi_buckets[HIST_NBUCKETS];
};

void hist_add(struct hist *, int64_t);
/* Smallest and largest number of a bucket. */
int64_t hist_min(unsigned int bucket);
int64_t hist_max(unsigned int bucket);
/*
 * First non-empty bucket, and the one after the last; both are 0 if all buckets
 * are empty.
 */
void hist_range(const struct hist *, unsigned int *first, unsigned int *end);

/* Prints a line per bucket: range, count, bar. */
void hist_text(const struct hist *, struct buf *);
/* [{"min":512,"max":1023,"count":3},...]: the non-empty buckets. */
void hist_json(const struct hist *, struct buf *);

#endif /* CLI_BASE_HIST_H */
