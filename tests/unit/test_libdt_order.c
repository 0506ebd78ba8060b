/* SPDX-License-Identifier: ISC */
/*
 * Sorting by time: shuffled inputs are returned sorted and complete, equal
 * times in the order of arrival, late ones are counted, memory stays bounded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/order.h"
#include "tests/unit/test_libdt_rec.h"

#define NCPU 4

/* The records returned so far. */
struct out {
	uint64_t o_n;
	uint64_t o_last; /* time */
	uint64_t o_sum;	 /* of pbn: each record has its own */
	uint32_t o_lastpbn;
};

static uint32_t seed = 1;

static uint32_t
rnd(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void
drain(struct dt_order *od, struct out *o)
{
	const struct dt_kept *kp;
	const struct dt_rec *rec;

	while ((kp = dt_order_get(od)) != NULL) {
		rec = DT_KEPT_REC(kp);
		assert_true(rec->dr_time >= o->o_last);
		if (rec->dr_time == o->o_last && o->o_n > 0)
			assert_true(rec->dr_pbn > o->o_lastpbn);
		assert_int_equal(kp->kpt_cpu, rec->dr_pbn % NCPU);
		o->o_last = rec->dr_time;
		o->o_lastpbn = rec->dr_pbn;
		o->o_sum += rec->dr_pbn;
		o->o_n++;
	}
}

/* Adds a record of this time; o receives those that are due. */
static bool
add(struct dt_order *od, struct out *o, uint32_t pbn, uint64_t time,
    unsigned int flags)
{
	_Alignas(8) uint8_t buf[REC_MAX];

	rec_build(buf, flags, pbn, time);
	while (!dt_order_room(od))
		drain(od, o);
	return dt_order_add(od, (struct dt_rec *)buf, pbn % NCPU, pbn);
}

static void
shuffled_records_come_out_sorted(void **state)
{
	const uint32_t n = 20000;
	struct dt_order *od = dt_order_alloc();
	struct out o = { 0 };
	uint32_t i;

	(void)state;
	for (i = 0; i < n; i++)
		assert_true(add(od, &o, i, 1000 + rnd(5000), rnd(256)));
	assert_int_equal(o.o_n, 0);
	dt_order_flush(od);
	drain(od, &o);
	assert_int_equal(o.o_n, n);
	assert_true(o.o_sum == (uint64_t)n * (n - 1) / 2);
	dt_order_free(od);
}

static void
low_water_releases_what_is_older(void **state)
{
	struct dt_order *od = dt_order_alloc();
	struct out o = { 0 };
	uint32_t pbn = 0;
	int pass;

	(void)state;
	/* each pass brings times around its own, like blocks of CPUs */
	for (pass = 1; pass <= 500; pass++) {
		int i, n = (int)rnd(200);

		for (i = 0; i < n; i++)
			assert_true(add(od, &o, pbn++,
			    (uint64_t)pass * 1000 + rnd(3000), DT_REC_ARGS));
		dt_order_pass(od, (uint64_t)pass * 1000);
		drain(od, &o);
		assert_true(o.o_last < (uint64_t)pass * 1000);
	}
	dt_order_flush(od);
	drain(od, &o);
	assert_int_equal(o.o_n, pbn);
	assert_true(o.o_sum == (uint64_t)pbn * (pbn - 1) / 2);
	dt_order_free(od);
}

static void
a_record_at_low_water_is_kept(void **state)
{
	struct dt_order *od = dt_order_alloc();
	struct out o = { 0 };

	(void)state;
	assert_true(add(od, &o, 1, 99, 0));
	assert_true(add(od, &o, 2, 100, 0));
	dt_order_pass(od, 100);
	drain(od, &o);
	assert_int_equal(o.o_n, 1);
	dt_order_pass(od, 101);
	drain(od, &o);
	assert_int_equal(o.o_n, 2);
	dt_order_free(od);
}

static void
a_record_older_than_the_last_is_late(void **state)
{
	struct dt_order *od = dt_order_alloc();
	struct out o = { 0 };

	(void)state;
	assert_true(add(od, &o, 1, 100, 0));
	assert_true(add(od, &o, 2, 200, 0));
	dt_order_pass(od, 150);
	drain(od, &o);
	assert_false(add(od, &o, 3, 99, 0));
	/* not late: no later record was returned, though low water passed */
	assert_true(add(od, &o, 4, 100, 0));
	assert_true(add(od, &o, 5, 120, 0));
	dt_order_flush(od);
	drain(od, &o);
	assert_int_equal(o.o_n, 4);
	dt_order_free(od);
}

static void
memory_is_bounded(void **state)
{
	const uint32_t n = 2000000;
	struct dt_order *od = dt_order_alloc();
	struct out o = { 0 };
	uint32_t i, late = 0;

	(void)state;
	/* low water never arrives */
	for (i = 0; i < n; i++) {
		if (!add(od, &o, i, 1000000 + (i ^ rnd(8)), DT_REC_ARGS))
			late++;
		assert_true(od->or_nchunks <= DT_ORDER_MAXCHUNKS);
		assert_true(
		    od->or_size * 32 <= DT_ORDER_MAXCHUNKS * DT_ORDER_CHUNK);
	}
	assert_true(o.o_n > 0);
	dt_order_flush(od);
	drain(od, &o);
	assert_int_equal(o.o_n + late, n);
	assert_true(late < 100);
	dt_order_free(od);
}

/* Stacks of 127 frames: chunks are cut well before they are full. */
static void
memory_is_bounded_for_long_records(void **state)
{
	static _Alignas(8) uint8_t buf[65536];
	struct dt_rec *rec = (struct dt_rec *)buf;
	struct dt_order *od = dt_order_alloc();
	struct out o = { 0 };
	uint32_t i;

	(void)state;
	rec_build(buf, 0, 0, 0);
	rec->dr_length = 65528;
	for (i = 0; i < 2000; i++) {
		rec->dr_pbn = i;
		rec->dr_time = i;
		while (!dt_order_room(od))
			drain(od, &o);
		assert_true(dt_order_add(od, rec, i % NCPU, 0));
		assert_true(od->or_nchunks <= DT_ORDER_MAXCHUNKS);
	}
	dt_order_flush(od);
	drain(od, &o);
	assert_int_equal(o.o_n, 2000);
	dt_order_free(od);
}

/* Freed in every state, under the leak checker of the sanitizer. */
static void
free_takes_all_states(void **state)
{
	struct dt_order *od;
	struct out o = { 0 };
	uint32_t i, stop;

	(void)state;
	dt_order_free(NULL);
	for (stop = 0; stop < 20; stop++) {
		od = dt_order_alloc();
		for (i = 0; i < stop * 1000; i++)
			add(od, &o, i, i, DT_REC_KSTACK);
		dt_order_pass(od, stop * 500);
		for (i = 0; i < stop * 100; i++)
			dt_order_get(od);
		dt_order_free(od);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shuffled_records_come_out_sorted),
		cmocka_unit_test(low_water_releases_what_is_older),
		cmocka_unit_test(a_record_at_low_water_is_kept),
		cmocka_unit_test(a_record_older_than_the_last_is_late),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(memory_is_bounded_for_long_records),
		cmocka_unit_test(free_takes_all_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
