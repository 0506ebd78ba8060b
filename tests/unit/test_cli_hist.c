/* SPDX-License-Identifier: ISC */
/*
 * Histograms: buckets of powers of two, as lines and as JSON; and percentiles.
 */
#include <math.h>

#include "tests/unit/test_cli.h"

#include "cli/base/hist.h"

static struct hist hist;
static struct buf buf;

static int
setup(void **state)
{
	(void)state;
	hist_clear(&hist);
	buf_init(&buf, -1);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	hist_clear(&hist);
	buf_free(&buf);
	return 0;
}

static const char *
text(void (*fn)(const struct hist *, struct buf *))
{
	fn(&hist, &buf);
	buf_c(&buf, '\0');
	return buf.b_data;
}

/* Each number is in one bucket, and buckets are contiguous. */
static void
buckets_meet(void **state)
{
	static const int64_t edges[] = { INT64_MIN, -1, 0, 1, 2, 3, 4, 7, 8,
		1023, 1024, (INT64_C(1) << 62) - 1, INT64_C(1) << 62,
		INT64_MAX };
	unsigned int i, first, end;

	(void)state;
	assert_true(hist_min(0) == INT64_MIN);
	assert_true(hist_max(HIST_NBUCKETS - 1) == INT64_MAX);
	for (i = 1; i < HIST_NBUCKETS; i++)
		assert_true(hist_min(i) == hist_max(i - 1) + 1);
	for (i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
		hist_clear(&hist);
		hist_add(&hist, edges[i]);
		hist_range(&hist, &first, &end);
		assert_int_equal(end, first + 1);
		assert_true(hist_min(first) <= edges[i]);
		assert_true(hist_max(first) >= edges[i]);
	}
}

static void
lines_have_bars(void **state)
{
	int i;

	(void)state;
	hist_add(&hist, 700);
	for (i = 0; i < 4; i++)
		hist_add(&hist, 3000 + i);
	assert_string_equal(text(hist_text),
	    "[512, 1K)                 1 |@@@@@@@@@@@@@                       "
	    "              |\n"
	    "[1K, 2K)                  0 |                                    "
	    "              |\n"
	    "[2K, 4K)                  4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
	    "@@@@@@@@@@@@@@|\n");
	assert_true(hist.hi_sum == 700 + 4 * 3000 + 6);
	assert_int_equal(hist.hi_count, 5);
}

static void
small_and_large_numbers_have_names(void **state)
{
	const char *s;

	(void)state;
	hist_add(&hist, -5);
	hist_add(&hist, 0);
	hist_add(&hist, 1);
	hist_add(&hist, 3);
	hist_add(&hist, 1 << 20);
	hist_add(&hist, INT64_MAX);
	s = text(hist_text);
	assert_non_null(strstr(s, "(..., 0) "));
	assert_non_null(strstr(s, "\n[0] "));
	assert_non_null(strstr(s, "\n[1] "));
	assert_non_null(strstr(s, "\n[2, 4) "));
	assert_non_null(strstr(s, "\n[1M, 2M) "));
	assert_non_null(strstr(s, "\n[4E, ...) "));
	assert_true(hist.hi_sum == INT64_MAX); /* it does not overflow */
}

static void
json_leaves_out_empty_buckets(void **state)
{
	(void)state;
	hist_add(&hist, 1);
	hist_add(&hist, 5);
	hist_add(&hist, 6);
	assert_string_equal(text(hist_json),
	    "[{\"min\":1,\"max\":1,\"count\":1},"
	    "{\"min\":4,\"max\":7,\"count\":2}]");
}

static void
an_empty_one_has_no_lines(void **state)
{
	(void)state;
	assert_string_equal(text(hist_text), "");
	buf.b_len = 0;
	assert_string_equal(text(hist_json), "[]");
}

static int
is_near(int64_t v, double want)
{
	double error = v - want, most = 0.04 * (want < 0 ? -want : want);

	return (error < 0 ? -error : error) <= most;
}

/* The n-th percent of 1 to 1000 times a factor, of any sign and magnitude. */
static void
percentiles_are_close(void **state)
{
	static const int64_t factors[] = { 1, 7, -3, 1000003,
		INT64_C(9000000000000000), INT64_C(-9000000000000000) };
	const unsigned int n = sizeof(factors) / sizeof(factors[0]);
	unsigned int i, k;

	(void)state;
	for (i = 0; i < n; i++) {
		hist_clear(&hist);
		for (k = 0; k < 1000; k++) /* in an order without pattern */
			hist_add(&hist, factors[i] * (1 + k * 387 % 1000));
		k = factors[i] < 0;
		assert_true(is_near(hist_percentile(&hist, 50),
		    factors[i] * (k ? 501. : 500.)));
		assert_true(is_near(hist_percentile(&hist, 90),
		    factors[i] * (k ? 101. : 900.)));
		assert_true(is_near(hist_percentile(&hist, 99),
		    factors[i] * (k ? 11. : 990.)));
		assert_true(
		    hist_stat(&hist, HIST_MIN) == factors[i] * (k ? 1000 : 1));
		assert_true(
		    hist_stat(&hist, HIST_MAX) == factors[i] * (k ? 1 : 1000));
	}
}

static void
a_percentile_is_between_the_extremes(void **state)
{
	(void)state;
	hist_add(&hist, 100);
	assert_int_equal(hist_percentile(&hist, 50), 100);
	assert_int_equal(hist_percentile(&hist, 99), 100);
	hist_add(&hist, INT64_MIN);
	hist_add(&hist, INT64_MAX);
	assert_int_equal(hist_percentile(&hist, 50), 101); /* 100 to 103 */
	assert_true(hist_stat(&hist, HIST_AVG) >= 30);
	assert_true(hist_stat(&hist, HIST_MIN) == INT64_MIN);
	assert_true(hist_stat(&hist, HIST_MAX) == INT64_MAX);
}

/* The kernel returns the numbers of a bucket together. */
static void
parts_are_added_as_their_numbers(void **state)
{
	struct hist one = { 0 };
	int64_t v;

	(void)state;
	for (v = 64; v < 68; v++)
		hist_add(&one, v);
	hist_add(&one, -3);
	hist_put(&hist, &(struct hist_part){ 1, -3, -3, -3 });
	hist_put(&hist, &(struct hist_part){ 3, 64 + 65 + 67, 64, 67 });
	hist_put(&hist, &(struct hist_part){ 1, 66, 66, 66 });
	assert_int_equal(hist.hi_count, one.hi_count);
	assert_true(hist.hi_sum == one.hi_sum);
	assert_true(hist.hi_min == one.hi_min && hist.hi_max == one.hi_max);
	assert_int_equal(hist.hi_nfine, one.hi_nfine);
	assert_int_equal(hist.hi_first, one.hi_first);
	assert_memory_equal(hist.hi_fine, one.hi_fine,
	    one.hi_nfine * sizeof(*one.hi_fine));
	hist_clear(&one);
}

/* 1 to 1000 times 1000: the numbers are spread over 160 buckets. */
static void
errors_are_those_of_the_numbers_and_of_their_buckets(void **state)
{
	const double variance = 1e6 * (1000. * 1000 - 1) / 12;
	int64_t i;

	(void)state;
	for (i = 1; i <= 1000; i++)
		hist_add(&hist, 1000 * i);
	assert_true(hist_variance(&hist) > 0.99 * variance);
	assert_true(hist_variance(&hist) < 1.01 * variance);
	/* 16 of the numbers around the median, and a bucket of 16384 */
	assert_true(hist_percentile_error(&hist, 50) > 16000);
	assert_true(hist_percentile_error(&hist, 50) < 32768);
	hist_clear(&hist);
	for (i = 0; i < 1000; i++) /* all in one bucket, from 992 to 1023 */
		hist_add(&hist, 1000);
	assert_true(hist_percentile_error(&hist, 99) > 9.2);
	assert_true(hist_percentile_error(&hist, 99) < 9.3);
	assert_true(hist_variance(&hist) > 85);
	assert_true(hist_variance(&hist) < 145);
}

static void
the_error_of_small_numbers_has_no_width_and_of_one_number_is_unknown(
    void **state)
{
	(void)state;
	hist_add(&hist, 7);
	assert_true(isnan(hist_variance(&hist)));
	assert_true(isnan(hist_percentile_error(&hist, 50)));
	hist_add(&hist, 9);
	assert_true(hist_variance(&hist) == 2);
	assert_true(hist_percentile_error(&hist, 50) == 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(buckets_meet, setup, teardown),
		cmocka_unit_test_setup_teardown(lines_have_bars, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(
		    small_and_large_numbers_have_names, setup, teardown),
		cmocka_unit_test_setup_teardown(json_leaves_out_empty_buckets,
		    setup, teardown),
		cmocka_unit_test_setup_teardown(an_empty_one_has_no_lines,
		    setup, teardown),
		cmocka_unit_test_setup_teardown(percentiles_are_close, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(
		    a_percentile_is_between_the_extremes, setup, teardown),
		cmocka_unit_test_setup_teardown(
		    parts_are_added_as_their_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(
		    errors_are_those_of_the_numbers_and_of_their_buckets, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(
		    the_error_of_small_numbers_has_no_width_and_of_one_number_is_unknown,
		    setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
