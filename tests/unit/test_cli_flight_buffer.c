/* SPDX-License-Identifier: ISC */
/*
 * The newest records: which are kept, in how much memory, with which clock.
 */
#include "tests/unit/test_cli.h"

#include "cli/recording/flight_buffer.h"

#define MEMORY (4 * FLIGHT_BUFFER_CHUNK + 4 * 4096) /* 4 chunks */
#define SECOND 1000000000ULL

static struct flight_buffer nw;
static const struct flight_chunk *held; /* may not go */
static unsigned int waits;

static int
leaves(void *arg, const struct flight_chunk *nc, int wait)
{
	(void)arg;
	if (nc != held)
		return 1;
	if (!wait)
		return 0;
	waits++;
	held = NULL;
	return 1;
}

static uint32_t ngone; /* records, in their order */
static char gone_path[64];

static void
gone(void *arg, const struct flight_item *it)
{
	const struct flight_fd *nf = (const void *)(it + 1);
	const struct dt_rec *rec = (const void *)(it + 1);

	(void)arg;
	if (it->it_kind == FLIGHT_BUFFER_FILE)
		snprintf(gone_path, sizeof(gone_path), "%s",
		    (const char *)(nf + 1));
	else if (rec->dr_tid == ngone + 1)
		ngone++;
}

static const struct flight_ops ops = { leaves, gone };

/* Adds a record of nbytes bytes with the number `tid`. */
static void
add(uint64_t time, int64_t clock, uint32_t tid, size_t nbytes)
{
	static _Alignas(8) unsigned char bytes[65536];
	struct dt_rec *rec = (struct dt_rec *)bytes;
	int64_t real = (int64_t)time + clock;
	struct dt_event ev = {
		.ev_rec = rec,
		.ev_cpu = tid % 3,
		.ev_realtime = {
			.tv_sec = real / (int64_t)SECOND,
			.tv_nsec = real % (int64_t)SECOND,
		},
	};

	rec->dr_length = nbytes;
	rec->dr_kind = DT_REC_EVENT;
	rec->dr_time = time;
	rec->dr_tid = tid;
	flight_buffer_record(&nw, &ev);
}

/*
 * Checks numbers, times and clocks of the records: without a gap, up to `last`;
 * returns their number.
 */
static uint64_t
check(uint32_t last, uint64_t step, int64_t clock)
{
	const struct flight_item *it;
	const struct dt_rec *rec;
	struct flight_reader nr;
	uint64_t n = 0;
	uint32_t before = 0;

	flight_buffer_read(&nw, &nr);
	while (nr.nr_chunk != NULL) {
		while ((it = flight_buffer_next(&nr)) != NULL) {
			if (it->it_kind != FLIGHT_BUFFER_RECORD)
				continue;
			rec = (const void *)(it + 1);
			if (n++ > 0)
				assert_int_equal(rec->dr_tid, before + 1);
			before = rec->dr_tid;
			assert_int_equal(rec->dr_time, before * step);
			assert_int_equal(it->it_cpu, before % 3);
			assert_int_equal(nr.nr_clock, clock);
		}
	}
	if (n > 0)
		assert_int_equal(before, last);
	return n;
}

static void
the_oldest_go_when_their_time_is_over(void **state)
{
	uint32_t i;

	(void)state;
	flight_buffer_init(&nw, 64 << 20, SECOND, &ops, NULL);
	for (i = 1; i <= 200000; i++) /* 0.1 ms each: 20 s, 20 MB */
		add(i * 100000ULL, 7, i, 96);
	i = check(200000, 100000, 7);
	assert_in_range(i, 10000, 10000 + 2 * FLIGHT_BUFFER_CHUNK / 96);
	assert_int_equal(i + nw.fb_letgo, 200000);
	assert_int_equal(nw.fb_full, 0);
	assert_in_range(nw.fb_nchunks, 4, 8);
	flight_buffer_free(&nw);
}

static void
the_oldest_go_when_the_memory_is_full(void **state)
{
	uint32_t i;

	(void)state;
	flight_buffer_init(&nw, MEMORY, 3600 * SECOND, &ops, NULL);
	for (i = 1; i <= 200000; i++)
		add(i * 100000ULL, 7, i, 96);
	i = check(200000, 100000, 7);
	assert_in_range(i, 3 * (FLIGHT_BUFFER_CHUNK / 104 - 1),
	    4 * FLIGHT_BUFFER_CHUNK / 104);
	assert_int_equal(i + nw.fb_letgo, 200000);
	assert_int_equal(nw.fb_full, (200000 - i) * 100000ULL);
	assert_int_equal(nw.fb_nchunks, 4);
	flight_buffer_free(&nw);
}

static void
the_longest_records_fit(void **state)
{
	uint32_t i;

	(void)state;
	flight_buffer_init(&nw, MEMORY, 3600 * SECOND, &ops, NULL);
	for (i = 1; i <= 1000; i++)
		add(i, 7, i, i % 2 ? 65528 : 24);
	assert_in_range(check(1000, 1, 7), 16, 64);
	flight_buffer_free(&nw);
}

static void
what_is_read_does_not_go(void **state)
{
	uint32_t i;

	(void)state;
	flight_buffer_init(&nw, MEMORY, SECOND / 100, &ops, NULL);
	held = nw.fb_old;
	waits = 0;
	for (i = 1; nw.fb_nchunks < 8; i++)
		add(i * 1000, 7, i, 96);
	assert_int_equal(waits, 0);
	assert_ptr_equal(nw.fb_old, held);
	assert_int_equal(check(i - 1, 1000, 7), i - 1);
	/* twice the memory is the maximum: now it must wait */
	for (; waits == 0; i++)
		add(i * 1000, 7, i, 96);
	assert_in_range(nw.fb_nchunks, 4, 8);
	for (; i < 100000; i++)
		add(i * 1000, 7, i, 96);
	assert_int_equal(nw.fb_nchunks, 4);
	assert_int_equal(check(i - 1, 1000, 7) + nw.fb_letgo, i - 1);
	flight_buffer_free(&nw);
}

static void
what_comes_later_is_not_read(void **state)
{
	struct flight_reader nr;
	uint32_t i, n = 0;

	(void)state;
	flight_buffer_init(&nw, 64 << 20, SECOND, &ops, NULL);
	for (i = 1; i <= 5000; i++)
		add(i, 7, i, 96);
	flight_buffer_read(&nw, &nr);
	for (; i <= 10000; i++)
		add(i, 7, i, 96);
	while (nr.nr_chunk != NULL)
		while (flight_buffer_next(&nr) != NULL)
			n++;
	assert_int_equal(n, 5000);
	assert_int_equal(check(10000, 1, 7), 10000);
	flight_buffer_free(&nw);
}

static void
a_record_keeps_its_clock(void **state)
{
	const struct flight_item *it;
	const struct dt_rec *rec;
	struct flight_reader nr;
	uint32_t i;

	(void)state;
	flight_buffer_init(&nw, MEMORY, 3600 * SECOND, &ops, NULL);
	for (i = 1; i <= 100000; i++)
		add(i, i / 10, i, 96); /* the clock is set all the time */
	flight_buffer_read(&nw, &nr);
	while (nr.nr_chunk != NULL) {
		while ((it = flight_buffer_next(&nr)) != NULL) {
			rec = (const void *)(it + 1);
			assert_int_equal(nr.nr_clock, rec->dr_tid / 10);
		}
	}
	flight_buffer_free(&nw);
}

static void
what_goes_is_told_before(void **state)
{
	uint32_t i;

	(void)state;
	ngone = 0;
	flight_buffer_init(&nw, MEMORY, 3600 * SECOND, &ops, NULL);
	flight_buffer_file(&nw, 1, 3, "/first");
	for (i = 1; i <= 20000; i++)
		add(i, 7, i, 96);
	assert_string_equal(gone_path, "/first");
	assert_int_equal(ngone, nw.fb_letgo);
	assert_int_equal(check(20000, 1, 7) + ngone, 20000);
	flight_buffer_free(&nw);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_go_when_their_time_is_over),
		cmocka_unit_test(the_oldest_go_when_the_memory_is_full),
		cmocka_unit_test(the_longest_records_fit),
		cmocka_unit_test(what_is_read_does_not_go),
		cmocka_unit_test(what_comes_later_is_not_read),
		cmocka_unit_test(a_record_keeps_its_clock),
		cmocka_unit_test(what_goes_is_told_before),
	};

	return cmocka_run_group_tests_name("test_cli_flight_buffer", tests,
	    NULL, NULL);
}
