/* SPDX-License-Identifier: ISC */
/*
 * Histograms with buckets of powers of two: one of each size of number.
 */
#ifndef CLI_BASE_HIST_H
#define CLI_BASE_HIST_H

#include <stdint.h>

#include "cli/base/buf.h"

#define HIST_NBUCKETS 65 /* below 0, 0, 1, 2 to 3, ... 2^62 and more */

struct hist {
	uint64_t hi_count;
	int64_t hi_sum; /* as far as int64_t goes */
	uint64_t hi_buckets[HIST_NBUCKETS];
};

void hist_add(struct hist *, int64_t);
/* The least and the greatest number of a bucket. */
int64_t hist_min(unsigned int bucket);
int64_t hist_max(unsigned int bucket);
/* The first bucket that has something, and one behind the last; both 0: all
 * are empty. */
void hist_range(const struct hist *, unsigned int *first, unsigned int *end);

/* Lines: a bucket, its count, a bar. */
void hist_text(const struct hist *, struct buf *);
/* [{"min":512,"max":1023,"count":3},...]: those that have something. */
void hist_json(const struct hist *, struct buf *);

#endif /* CLI_BASE_HIST_H */
