/* SPDX-License-Identifier: ISC */
/* CPU time charged to persons: sums, averages, and uncharged persons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "daemon/access/charge.h"
#include "daemon/base/conf.h"

#define SEC  1000000000ULL
#define MSEC 1000000ULL

/* Replaces the daemon's settings and log. */
struct conf conf;

void
log_warnx(const char *fmt, ...)
{
	fail_msg("%s", fmt);
}

static int
setup(void **state)
{
	(void)state;
	memset(&conf, 0, sizeof(conf));
	charge_reset();
	return 0;
}

static void
test_steady(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		charge_cpu(7, 100 * MSEC);
		charge_cpu(8, 300 * MSEC);
		charge_cpu(7, 100 * MSEC);
		charge_period(SEC);
	}
	assert_in_range(charge_of(7), 199 * MSEC, 200 * MSEC);
	assert_in_range(charge_of(8), 299 * MSEC, 300 * MSEC);
	assert_int_equal(charge_of(9), 0);
}

/* The length of periods has no effect. */
static void
test_periods(void **state)
{
	uint64_t nsecs;
	int i;

	(void)state;
	charge_cpu(7, 800 * MSEC);
	charge_period(SEC);
	nsecs = charge_of(7);
	assert_int_equal(nsecs, 100 * MSEC);
	charge_reset();
	for (i = 0; i < 10; i++) {
		charge_cpu(7, 80 * MSEC);
		charge_period(SEC / 10);
	}
	assert_in_range(charge_of(7), nsecs * 9 / 10, nsecs);
	/* a period longer than the average is the average */
	charge_cpu(7, 100 * SEC);
	charge_period(200 * SEC);
	assert_int_equal(charge_of(7), SEC / 2);
	charge_period(0); /* of length 0: no change */
	assert_int_equal(charge_of(7), SEC / 2);
}

static void
test_fades(void **state)
{
	uint64_t nsecs = SEC;
	int i;

	(void)state;
	charge_cpu(7, SEC);
	charge_period(SEC);
	for (i = 0; charge_of(7) > 0; i++) {
		assert_in_range(charge_of(7), 1, nsecs - 1);
		assert_true(i < 1000);
		nsecs = charge_of(7);
		charge_period(SEC);
	}
}

static void
test_exempt(void **state)
{
	(void)state;
	charge_cpu(0, SEC);
	conf.cf_private = 1;
	charge_cpu(7, SEC);
	charge_period(SEC);
	assert_int_equal(charge_of(0), 0);
	assert_int_equal(charge_of(7), 0);
}

static void
test_now(void **state)
{
	uint64_t from = charge_now();

	(void)state;
	while (charge_now() == from)
		continue;
	assert_true(charge_now() > from);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_steady, setup),
		cmocka_unit_test_setup(test_periods, setup),
		cmocka_unit_test_setup(test_fades, setup),
		cmocka_unit_test_setup(test_exempt, setup),
		cmocka_unit_test_setup(test_now, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
