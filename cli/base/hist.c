/* SPDX-License-Identifier: ISC */
/* Counts and prints the histograms of hist.h. */
#include <string.h>

#include "cli/base/hist.h"

#define HIST_BAR    50 /* characters of the longest bar */
#define HIST_BOUNDS 14

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
hist_add(struct hist *hi, int64_t v)
{
	hi->hi_count++;
	if (__builtin_add_overflow(hi->hi_sum, v, &hi->hi_sum))
		hi->hi_sum = v < 0 ? INT64_MIN : INT64_MAX;
	hi->hi_buckets[hist_bucket(v)]++;
}

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

void
hist_range(const struct hist *hi, unsigned int *first, unsigned int *end)
{
	unsigned int i;

	*first = *end = 0;
	for (i = 0; i < HIST_NBUCKETS; i++) {
		if (hi->hi_buckets[i] == 0)
			continue;
		if (*end == 0)
			*first = i;
		*end = i + 1;
	}
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
hist_line(const struct hist *hi, unsigned int i, uint64_t most, struct buf *b)
{
	uint64_t n = hi->hi_buckets[i];
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
	unsigned int i, first, end;
	uint64_t most = 0;

	hist_range(hi, &first, &end);
	for (i = first; i < end; i++)
		if (hi->hi_buckets[i] > most)
			most = hi->hi_buckets[i];
	for (i = first; i < end; i++)
		hist_line(hi, i, most, b);
}

void
hist_json(const struct hist *hi, struct buf *b)
{
	unsigned int i, first, end;
	const char *sep = "";

	hist_range(hi, &first, &end);
	buf_c(b, '[');
	for (i = first; i < end; i++) {
		if (hi->hi_buckets[i] == 0)
			continue;
		buf_printf(b, "%s{\"min\":%lld,\"max\":%lld,\"count\":%llu}",
		    sep, (long long)hist_min(i), (long long)hist_max(i),
		    (unsigned long long)hi->hi_buckets[i]);
		sep = ",";
	}
	buf_c(b, ']');
}
