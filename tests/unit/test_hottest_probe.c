/* SPDX-License-Identifier: ISC */
/*
 * Votes for the probe that is hit most.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/dt/dt_hottest_probe.h"

static struct dt_hottest_probe dv;

static void
nobody_voted(void **state)
{
	uint32_t pbn = 77;

	(void)state;
	dt_hottest_probe_clear(&dv);
	assert_int_equal(dt_hottest_probe_top(&dv, &pbn), 0);
	assert_int_equal(pbn, 77);
	dt_hottest_probe_add(&dv, 0); /* a number as any other */
	assert_int_equal(dt_hottest_probe_top(&dv, &pbn), 1);
	assert_int_equal(pbn, 0);
	dt_hottest_probe_clear(&dv);
	assert_int_equal(dt_hottest_probe_top(&dv, &pbn), 0);
}

/* A quarter is the same probe, the others are 700 different ones. */
static void
most_wins_among_many(void **state)
{
	uint32_t pbn = 0, i;

	(void)state;
	dt_hottest_probe_clear(&dv);
	for (i = 0; i < 10000; i++)
		dt_hottest_probe_add(&dv, i % 4 == 0 ? 42 : 1000 + i * 7 % 700);
	assert_int_equal(dt_hottest_probe_top(&dv, &pbn), 1);
	assert_int_equal(pbn, 42);
}

static void
two_that_are_equal_keep_the_others_out(void **state)
{
	uint32_t pbn, i;

	(void)state;
	dt_hottest_probe_clear(&dv);
	for (i = 0; i < 10000; i++) {
		dt_hottest_probe_add(&dv, i % 2 == 0 ? 8 : 9);
		if (i % 10 == 0)
			dt_hottest_probe_add(&dv, 100 + i);
		assert_int_equal(dt_hottest_probe_top(&dv, &pbn), 1);
		if (i > 10)
			assert_in_range(pbn, 8, 9);
	}
}

/* A short storm of one probe outvotes a long history of another. */
static void
old_votes_fade(void **state)
{
	uint32_t pbn, i;

	(void)state;
	dt_hottest_probe_clear(&dv);
	for (i = 0; i < 1000000; i++)
		dt_hottest_probe_add(&dv, 1);
	for (i = 0; i < 2 * DT_VOTEMAX; i++)
		dt_hottest_probe_add(&dv, 2);
	assert_int_equal(dt_hottest_probe_top(&dv, &pbn), 1);
	assert_int_equal(pbn, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_voted),
		cmocka_unit_test(most_wins_among_many),
		cmocka_unit_test(two_that_are_equal_keep_the_others_out),
		cmocka_unit_test(old_votes_fade),
	};

	return cmocka_run_group_tests_name("test_hottest_probe", tests, NULL,
	    NULL);
}
