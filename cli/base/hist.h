/* SPDX-License-Identifier: ISC */
/*
 * Numbers of a row: their count, sum, extremes, and a histogram.  It has 16
 * buckets per power of two, as the kernel counts with a dtag_sub of HIST_SUB,
 * so that percentiles are at most 3.2 % off; it prints as one per power of two.
 */
#ifndef CLI_BASE_HIST_H
#define CLI_BASE_HIST_H

#include <stddef.h>
#include <stdint.h>

#include "cli/base/buf.h"

#define HIST_NBUCKETS 65 /* printed: below 0, 0, 1, 2 to 3, ... 2^62 and more */
#define HIST_SUB      4	 /* 2^HIST_SUB buckets per power of two are counted */

/* All zeros has no numbers. */
struct hist {
	uint64_t hi_count;
	int64_t hi_sum; /* saturates at the limits of int64_t */
	int64_t hi_min, hi_max;
	uint64_t *hi_fine; /* counted buckets: hi_nfine from hi_first on */
	int hi_first;	   /* their numbers are negative for negative values */
	unsigned int hi_nfine;
};

/* Some numbers. */
struct hist_part {
	uint64_t hp_count;
	int64_t hp_sum, hp_min, hp_max;
};

/* Adds numbers without a bucket. */
void hist_note(struct hist *, const struct hist_part *);
/*
 * Adds numbers of one bucket, or one number.  Returns the bytes of memory that
 * this took; exits if there are none.
 */
size_t hist_put(struct hist *, const struct hist_part *);
size_t hist_add(struct hist *, int64_t);
/* Adds the numbers of another histogram. */
void hist_join(struct hist *, const struct hist *);
/*
 * Returns how many numbers are from first to end - 1.  Exact if each is 0, a power
 * of two, or the smallest number, INT64_MIN.
 */
uint64_t hist_between(const struct hist *, int64_t first, int64_t end);
/* Frees the buckets, and sets all to 0. */
void hist_clear(struct hist *);

/* Smallest and largest number of a printed bucket. */
int64_t hist_min(unsigned int bucket);
int64_t hist_max(unsigned int bucket);
/*
 * First non-empty bucket that is printed, and the one after the last; both are
 * 0 if all buckets are empty.
 */
void hist_range(const struct hist *, unsigned int *first, unsigned int *end);
/* Returns the number below which n % of all are, except for the bucket's width.
 */
int64_t hist_percentile(const struct hist *, unsigned int n);

/*
 * The variance of the numbers, estimated from their buckets: each number is
 * anywhere in its bucket, whose width adds to the variance.  NAN below 2
 * numbers.
 */
double hist_variance(const struct hist *);
/*
 * The standard error of hist_percentile(): half the distance of the numbers one
 * standard deviation of the rank around it, and the width of the bucket.  NAN
 * below 2 numbers.
 */
double hist_percentile_error(const struct hist *, unsigned int n);

/* Prints a line per bucket: range, count, bar. */
void hist_text(const struct hist *, struct buf *);
/* [{"min":512,"max":1023,"count":3},...]: the non-empty buckets. */
void hist_json(const struct hist *, struct buf *);

/* Columns of a row next to count and sum. */
enum hist_stat {
	HIST_AVG,
	HIST_MIN,
	HIST_P50,
	HIST_P90,
	HIST_P99,
	HIST_MAX,
	HIST_NSTATS
};

#define HIST_PERCENTILES (1U << HIST_P50 | 1U << HIST_P90 | 1U << HIST_P99)

const char *hist_stat_name(enum hist_stat); /* "avg" */
int64_t hist_stat(const struct hist *, enum hist_stat);

#endif /* CLI_BASE_HIST_H */
