/* SPDX-License-Identifier: ISC */
/*
 * Histograms: buckets of powers of two, as lines and as JSON.
 */
#include "tests/unit/test_cli.h"

#include "cli/base/hist.h"

static struct hist hist;
static struct buf buf;

static int
setup(void **state)
{
	(void)state;
	memset(&hist, 0, sizeof(hist));
	buf_init(&buf, -1);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
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
		memset(&hist, 0, sizeof(hist));
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
