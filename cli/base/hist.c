/* SPDX-License-Identifier: ISC */
/* Counts and prints the histograms of hist.h. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hist.h"

#define HIST_BAR    50 /* characters of the longest bar */
#define HIST_BOUNDS 14
#define HIST_NSUBS  (1 << HIST_SUB)

/*
 * Counted buckets.  Absolute values up to 15 have a bucket each; there are 16
 * buckets for each larger power of two.
 */

static int
fine_of(int64_t v)
{
	uint64_t abs = v < 0 ? -(uint64_t)v : (uint64_t)v;
	int log, i;

	if (abs < HIST_NSUBS)
		i = abs;
	else {
		log = 63 - __builtin_clzll(abs);
		i = (log - HIST_SUB + 1) * HIST_NSUBS +
		    (abs >> (log - HIST_SUB) & (HIST_NSUBS - 1));
	}
	return v < 0 ? -i : i;
}

/* Stores the smallest and the largest absolute value of a bucket from 0 on. */
static void
fine_range(unsigned int i, uint64_t *first, uint64_t *last)
{
	unsigned int shift;

	*first = *last = i;
	if (i < HIST_NSUBS)
		return;
	shift = i / HIST_NSUBS - 1;
	*first = (uint64_t)(HIST_NSUBS + i % HIST_NSUBS) << shift;
	*last = *first + ((UINT64_C(1) << shift) - 1);
}

/* Returns the number in the middle of a bucket. */
static int64_t
fine_middle(int i)
{
	uint64_t first, last;

	fine_range(i < 0 ? -i : i, &first, &last);
	first += (last - first) / 2;
	if (first > INT64_MAX)
		return INT64_MIN; /* the only number of its bucket */
	return i < 0 ? -(int64_t)first : (int64_t)first;
}

/* Makes space for a bucket, for whole powers of two.  Returns the new bytes. */
static size_t
fine_grow(struct hist *hi, int i)
{
	int first = (i + 1024) / HIST_NSUBS * HIST_NSUBS - 1024;
	int end = first + HIST_NSUBS, oldend = hi->hi_first + (int)hi->hi_nfine;
	uint64_t *fine;
	unsigned int n;

	if (hi->hi_nfine > 0) {
		first = hi->hi_first < first ? hi->hi_first : first;
		end = oldend > end ? oldend : end;
	}
	n = end - first;
	if ((fine = calloc(n, sizeof(*fine))) == NULL)
		err(1, "counts");
	if (hi->hi_nfine > 0)
		memcpy(fine + (hi->hi_first - first), hi->hi_fine,
		    hi->hi_nfine * sizeof(*fine));
	free(hi->hi_fine);
	hi->hi_fine = fine;
	hi->hi_first = first;
	n -= hi->hi_nfine;
	hi->hi_nfine += n;
	return n * sizeof(*fine);
}

static unsigned int
hist_bucket(int64_t v)
{
	if (v < 0)
		return 0;
	if (v == 0)
		return 1;
	return 2 + (63 - __builtin_clzll(v));
}

void
hist_note(struct hist *hi, const struct hist_part *hp)
{
	if (hi->hi_count == 0 || hp->hp_min < hi->hi_min)
		hi->hi_min = hp->hp_min;
	if (hi->hi_count == 0 || hp->hp_max > hi->hi_max)
		hi->hi_max = hp->hp_max;
	hi->hi_count += hp->hp_count;
	if (__builtin_add_overflow(hi->hi_sum, hp->hp_sum, &hi->hi_sum))
		hi->hi_sum = hp->hp_sum < 0 ? INT64_MIN : INT64_MAX;
}

/* Adds n to a bucket.  Returns the new bytes. */
static size_t
fine_add(struct hist *hi, int i, uint64_t n)
{
	size_t nbytes = 0;

	if (hi->hi_nfine == 0 || i < hi->hi_first ||
	    i >= hi->hi_first + (int)hi->hi_nfine)
		nbytes = fine_grow(hi, i);
	hi->hi_fine[i - hi->hi_first] += n;
	return nbytes;
}

size_t
hist_put(struct hist *hi, const struct hist_part *hp)
{
	hist_note(hi, hp);
	return fine_add(hi, fine_of(hp->hp_min), hp->hp_count);
}

size_t
hist_add(struct hist *hi, int64_t v)
{
	return hist_put(hi, &(struct hist_part){ 1, v, v, v });
}

void
hist_join(struct hist *to, const struct hist *hi)
{
	unsigned int i;

	if (hi->hi_count == 0)
		return;
	hist_note(to,
	    &(struct hist_part){ hi->hi_count, hi->hi_sum, hi->hi_min,
		hi->hi_max });
	for (i = 0; i < hi->hi_nfine; i++)
		if (hi->hi_fine[i] != 0)
			fine_add(to, hi->hi_first + (int)i, hi->hi_fine[i]);
}

uint64_t
hist_between(const struct hist *hi, int64_t first, int64_t end)
{
	int i = fine_of(first) - hi->hi_first,
	    last = fine_of(end) - hi->hi_first;
	uint64_t n = 0;

	if (i < 0)
		i = 0;
	if (last > (int)hi->hi_nfine)
		last = hi->hi_nfine;
	for (; i < last; i++)
		n += hi->hi_fine[i];
	return n;
}

void
hist_clear(struct hist *hi)
{
	free(hi->hi_fine);
	memset(hi, 0, sizeof(*hi));
}

/*
 * Printed buckets
 */

int64_t
hist_min(unsigned int i)
{
	if (i == 0)
		return INT64_MIN;
	return i == 1 ? 0 : INT64_C(1) << (i - 2);
}

int64_t
hist_max(unsigned int i)
{
	return i + 1 < HIST_NBUCKETS ? hist_min(i + 1) - 1 : INT64_MAX;
}

/* Adds up the counted buckets of each printed one. */
static void
hist_merge(const struct hist *hi, uint64_t *buckets)
{
	unsigned int i;

	memset(buckets, 0, HIST_NBUCKETS * sizeof(*buckets));
	for (i = 0; i < hi->hi_nfine; i++)
		if (hi->hi_fine[i] != 0)
			buckets[hist_bucket(fine_middle(
			    hi->hi_first + (int)i))] += hi->hi_fine[i];
}

static void
hist_ends(const uint64_t *buckets, unsigned int *first, unsigned int *end)
{
	unsigned int i;

	*first = *end = 0;
	for (i = 0; i < HIST_NBUCKETS; i++) {
		if (buckets[i] == 0)
			continue;
		if (*end == 0)
			*first = i;
		*end = i + 1;
	}
}

void
hist_range(const struct hist *hi, unsigned int *first, unsigned int *end)
{
	uint64_t buckets[HIST_NBUCKETS];

	hist_merge(hi, buckets);
	hist_ends(buckets, first, end);
}

/* Prints the start of a bucket, a power of two: 512, 1K, 64M. */
static void
hist_number(struct buf *b, int64_t v)
{
	static const char units[] = " KMGTPE";
	unsigned int unit = 0;

	while (v >= 1024 && v % 1024 == 0) {
		v /= 1024;
		unit++;
	}
	buf_s64(b, v);
	if (unit > 0)
		buf_c(b, units[unit]);
}

/* Prints "[512, 1K)", or "[1]" for a single number. */
static void
hist_bounds(struct buf *b, unsigned int i)
{
	size_t from = b->b_len;

	buf_c(b, i == 0 ? '(' : '[');
	if (i == 0)
		buf_str(b, "..., 0");
	else
		hist_number(b, hist_min(i));
	if (i > 2) {
		buf_str(b, ", ");
		if (i + 1 < HIST_NBUCKETS)
			hist_number(b, hist_max(i) + 1);
		else
			buf_str(b, "...");
	}
	buf_c(b, i == 1 || i == 2 ? ']' : ')');
	buf_pad(b, from, HIST_BOUNDS);
}

static void
hist_line(unsigned int i, uint64_t n, uint64_t most, struct buf *b)
{
	unsigned int bar = (double)n * HIST_BAR / most + 0.5, k;

	hist_bounds(b, i);
	buf_printf(b, " %12llu |", (unsigned long long)n);
	for (k = 0; k < HIST_BAR; k++)
		buf_c(b, k < bar ? '@' : ' ');
	buf_str(b, "|\n");
}

void
hist_text(const struct hist *hi, struct buf *b)
{
	uint64_t buckets[HIST_NBUCKETS], most = 0;
	unsigned int i, first, end;

	hist_merge(hi, buckets);
	hist_ends(buckets, &first, &end);
	for (i = first; i < end; i++)
		if (buckets[i] > most)
			most = buckets[i];
	for (i = first; i < end; i++)
		hist_line(i, buckets[i], most, b);
}

void
hist_json(const struct hist *hi, struct buf *b)
{
	uint64_t buckets[HIST_NBUCKETS];
	unsigned int i, first, end;
	const char *sep = "";

	hist_merge(hi, buckets);
	hist_ends(buckets, &first, &end);
	buf_c(b, '[');
	for (i = first; i < end; i++) {
		if (buckets[i] == 0)
			continue;
		buf_printf(b, "%s{\"min\":%lld,\"max\":%lld,\"count\":%llu}",
		    sep, (long long)hist_min(i), (long long)hist_max(i),
		    (unsigned long long)buckets[i]);
		sep = ",";
	}
	buf_c(b, ']');
}

/*
 * Numbers
 */

/* Returns the bucket of the number at a rank, which counts from 1. */
static int
hist_rank_bucket(const struct hist *hi, uint64_t rank)
{
	uint64_t seen = 0;
	unsigned int i;

	for (i = 0; i < hi->hi_nfine; i++)
		if ((seen += hi->hi_fine[i]) >= rank)
			break;
	return hi->hi_first + (int)i;
}

static int64_t
hist_rank(const struct hist *hi, uint64_t rank)
{
	int64_t v = fine_middle(hist_rank_bucket(hi, rank));

	if (v < hi->hi_min)
		return hi->hi_min;
	return v > hi->hi_max ? hi->hi_max : v;
}

static uint64_t
hist_percentile_rank(const struct hist *hi, unsigned int n)
{
	return hi->hi_count / 100 * n + (hi->hi_count % 100 * n + 99) / 100;
}

int64_t
hist_percentile(const struct hist *hi, unsigned int n)
{
	return hist_rank(hi, hist_percentile_rank(hi, n));
}

/* The variance of an integer that may be anywhere in a bucket. */
static double
fine_variance(int i)
{
	uint64_t first, last;
	double width;

	fine_range(i < 0 ? -i : i, &first, &last);
	width = (double)(last - first) + 1;
	return (width * width - 1) / 12;
}

double
hist_variance(const struct hist *hi)
{
	double mean = (double)hi->hi_sum / hi->hi_count, sum = 0, d;
	unsigned int i;

	if (hi->hi_count < 2)
		return NAN;
	for (i = 0; i < hi->hi_nfine; i++) {
		if (hi->hi_fine[i] == 0)
			continue;
		d = fine_middle(hi->hi_first + (int)i) - mean;
		sum += hi->hi_fine[i] *
		    (d * d + fine_variance(hi->hi_first + (int)i));
	}
	return sum / (hi->hi_count - 1);
}

double
hist_percentile_error(const struct hist *hi, unsigned int n)
{
	uint64_t rank = hist_percentile_rank(hi, n);
	double spread = sqrt(hi->hi_count * (n / 100.) * (1 - n / 100.));
	uint64_t off = ceil(spread), low, high;
	double half;

	if (hi->hi_count < 2)
		return NAN;
	low = rank > off ? rank - off : 1;
	high = rank + off < hi->hi_count ? rank + off : hi->hi_count;
	half = ((double)hist_rank(hi, high) - hist_rank(hi, low)) / 2;
	return sqrt(half * half + fine_variance(hist_rank_bucket(hi, rank)));
}

static int64_t
hist_avg(const struct hist *hi)
{
	return (double)hi->hi_sum / hi->hi_count +
	    (hi->hi_sum < 0 ? -0.5 : 0.5);
}

const char *
hist_stat_name(enum hist_stat st)
{
	static const char *const names[HIST_NSTATS] = { "avg", "min", "p50",
		"p90", "p99", "max" };

	return names[st];
}

int64_t
hist_stat(const struct hist *hi, enum hist_stat st)
{
	switch (st) {
	case HIST_AVG:
		return hist_avg(hi);
	case HIST_MIN:
		return hi->hi_min;
	case HIST_P50:
		return hist_percentile(hi, 50);
	case HIST_P90:
		return hist_percentile(hi, 90);
	case HIST_P99:
		return hist_percentile(hi, 99);
	default:
		return hi->hi_max;
	}
}
