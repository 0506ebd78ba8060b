/* SPDX-License-Identifier: ISC */
/* Waiting for programs that count themselves per CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <unistd.h>

#include "daemon/dt/dt_drain.h"
#include "daemon/dt/dt_maps.h"

#define NCPUS 3

unsigned int dt_ncpu = NCPUS;
struct dt_maps dt_maps;

static struct dt_inside inside[NCPUS];

/* A program of a CPU, which ends after the wait has begun. */
static void *
program_end(void *arg)
{
	struct dt_inside *in = arg;

	usleep(200);
	__atomic_sub_fetch(&in->din_n, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void
test_idle(void **state)
{
	(void)state;
	assert_true(dt_drain());
}

/* Succeeds only after the program has ended, or leaves it to the caller. */
static void
test_ends(void **state)
{
	pthread_t t;
	int i, isdrained;

	(void)state;
	for (i = 0; i < NCPUS; i++) {
		inside[i].din_n = 1;
		assert_int_equal(pthread_create(&t, NULL, program_end,
				     &inside[i]),
		    0);
		isdrained = dt_drain();
		if (isdrained)
			assert_int_equal(__atomic_load_n(&inside[i].din_n,
					     __ATOMIC_SEQ_CST),
			    0);
		pthread_join(t, NULL);
	}
}

/* A thread that was preempted in a program: a grace period has to wait. */
static void
test_stays(void **state)
{
	(void)state;
	inside[NCPUS - 1].din_n = 1;
	assert_false(dt_drain());
	inside[NCPUS - 1].din_n = 0;
	assert_true(dt_drain());
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_stays),
	};

	dt_maps.dtm_inside = inside;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
