/* SPDX-License-Identifier: ISC */
/* dt_passed(): its requests, and when a time has passed. */
#include <time.h>

#include "tests/unit/test_libdt_out.h"

#define SEC 1000000000ULL

static unsigned int nasked; /* requests for low water */

/*
 * Replies to the first two requests for low water, and sends the contents of out
 * after each; then it is an older daemon, and exits.
 */
static void
script_passes(struct peer *pe)
{
	struct dtioc_probe_info pi = { .dtpi_pbn = 1 };

	peer_hello(pe);
	peer_welcome(pe);
	while (nasked < 4 && peer_get(pe)) {
		if (pe->pe_hdr.wh_command == DTIOCGPLIST)
			peer_list(pe, 1, 1, &pi, sizeof(pi));
		else if (pe->pe_hdr.wh_command != DTIOCPASS)
			peer_reply(pe, 0, "", 0);
		else if (++nasked > 2)
			peer_reply(pe, ENOTTY, "", 0);
		else {
			peer_send(pe->pe_data, out.o_buf, out.o_len);
			peer_reply(pe, 0, "", 0);
		}
	}
}

static uint64_t
monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SEC + (uint64_t)ts.tv_nsec;
}

static void
next_at(struct dt *dt, uint64_t time)
{
	struct dt_event ev;

	assert_int_equal(dt_next(dt, &ev, -1), 1);
	assert_int_equal(ev.ev_rec->dr_time, time);
}

static void
a_time_has_passed_when_older_events_were_returned(void **state)
{
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;
	int on = 1;

	(void)state;
	pe = peer_start(script_passes);
	dt = peer_open(pe, DT_OPEN_ORDERED);
	assert_int_equal(dt_passed(dt, 100), 1); /* nothing is recorded */
	assert_int_equal(dt_ioctl(dt, DTIOCRECORD, &on), 0);
	assert_int_equal(nasked, 0);

	out.o_len = 0;
	put_block(WIRE_BLOCK_DATA, 0, 2 * SPAN1, 0);
	put_rec(1, 100);
	put_rec(1, 300);
	put_block(WIRE_BLOCK_DATA, 1, SPAN1, 0);
	put_rec(1, 120);
	put_block(WIRE_BLOCK_PASS, 0, 0, 200);
	assert_int_equal(dt_passed(dt, UINT64_MAX), 0);
	assert_int_equal(nasked, 0);
	assert_int_equal(dt_passed(dt, 150), 0);
	assert_int_equal(dt_passed(dt, 150), 0);
	assert_int_equal(nasked, 1);
	next_at(dt, 100);
	assert_int_equal(dt_passed(dt, 119), 1);
	assert_int_equal(dt_passed(dt, 120), 0);
	next_at(dt, 120);
	assert_int_equal(dt_passed(dt, 120), 1);
	assert_int_equal(dt_passed(dt, 199), 1);
	assert_int_equal(dt_passed(dt, 200), 0);
	assert_int_equal(nasked, 1);

	out.o_len = 0;
	put_block(WIRE_BLOCK_DATA, 0, SPAN1, 0);
	put_rec(1, 400);
	put_end(4, 1);
	assert_int_equal(dt_passed(dt, monotonic()), 0);
	assert_int_equal(nasked, 2);
	next_at(dt, 300); /* END was read */
	assert_int_equal(dt_passed(dt, 399), 1);
	assert_int_equal(dt_passed(dt, 400), 0);
	next_at(dt, 400);
	assert_int_equal(dt_passed(dt, UINT64_MAX), 1);

	assert_int_equal(dt_ioctl(dt, DTIOCRECORD, &on), 0);
	assert_int_equal(dt_passed(dt, monotonic()), -1);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(dt_passed(dt, monotonic()), -1);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(nasked, 4);
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_int_equal(errno, ENODATA); /* of the first run */
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(dt_passed(dt, monotonic()), 1);
	dt_close(dt);
	peer_stop(pe);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_time_has_passed_when_older_events_were_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
