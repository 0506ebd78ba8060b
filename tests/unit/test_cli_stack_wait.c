/* SPDX-License-Identifier: ISC */
/*
 * Events that wait for their user stacks: order, bounds, and the records that
 * consumers receive.  This file supplies the events and the stacks.
 */
#include <errno.h>

#include "cli/session/stack_wait.h"
#include "tests/unit/test_cli.h"

#define MS 1000000ULL

/* A record with arguments before the stack, and a string after it. */
struct record {
	struct dt_rec rec;
	uint64_t arg;
	struct dt_rec_stack st;
	uint64_t pcs[2];
	struct dt_rec_strings strings;
	struct dt_rec_string string;
	char text[8];
};

static struct supply {
	struct record records[8];
	size_t nrecords, next;
	int error;	   /* of dt_next() after these */
	uint64_t lowwater; /* changes with each record */
	/* of the copies, by number: errno, or frames */
	int errors[8];
	unsigned int nframes[8];
	unsigned int nrequests;
} supply;

int __wrap_dt_next(struct dt *, struct dt_event *, int);
int __wrap_dt_ioctl(struct dt *, unsigned long, void *);
uint64_t __wrap_dt_lowwater(const struct dt *);
int __wrap_dt_passed(struct dt *, uint64_t);

int
__wrap_dt_next(struct dt *dt, struct dt_event *ev, int timeout)
{
	struct record *r = &supply.records[supply.next];

	(void)dt;
	assert_int_equal(timeout, 0);
	if (supply.next == supply.nrecords) {
		errno = supply.error;
		return supply.error != 0 ? -1 : 0;
	}
	assert_int_equal(dt_decode(&r->rec, sizeof(*r), 1, ev), 0);
	ev->ev_cpu = 3;
	ev->ev_realtime.tv_sec = 7;
	supply.lowwater = 10 * ++supply.next;
	return 1;
}

int
__wrap_dt_ioctl(struct dt *dt, unsigned long cmd, void *arg)
{
	struct dtioc_stack *sk = arg;
	unsigned int i, copy = sk->dtsk_copy;

	(void)dt;
	assert_int_equal(cmd, DTIOCGSTACK);
	supply.nrequests++;
	if ((errno = supply.errors[copy]) != 0)
		return -1;
	sk->dtsk_stack = (struct dt_rec_stack){
		.drs_count = supply.nframes[copy],
		.drs_how = DT_STACK_TABLE,
	};
	for (i = 0; i < supply.nframes[copy] && i < DT_REC_MAXFRAMES; i++)
		sk->dtsk_pcs[i] = 0x1000 * copy + i;
	return 0;
}

uint64_t
__wrap_dt_lowwater(const struct dt *dt)
{
	(void)dt;
	return supply.lowwater;
}

int
__wrap_dt_passed(struct dt *dt, uint64_t time)
{
	(void)dt;
	return time < supply.lowwater;
}

/* Adds a record; copy 0: its stack needs nothing. */
static void
add(uint32_t copy)
{
	struct record *r = &supply.records[supply.nrecords++];

	*r = (struct record){
		.rec = { .dr_length = sizeof(*r),
		    .dr_kind = DT_REC_EVENT,
		    .dr_flags = DT_REC_ARGS | DT_REC_USTACK | DT_REC_STRINGS,
		    .dr_pbn = supply.nrecords,
		    .dr_time = 10 * supply.nrecords },
		.arg = 42,
		.st = { .drs_count = 2,
		    .drs_end = copy != 0 ? DT_STACK_PENDING : DT_STACK_ENDED,
		    .drs_how = copy != 0 ? DT_STACK_COPIED : DT_STACK_TABLE,
		    .drs_copy = copy },
		.pcs = { 1, 2 },
		.strings = { 1, sizeof(r->string) + sizeof(r->text) },
		.string = { .drt_length = 8 },
		.text = "textabc",
	};
}

/* Returns the number of the next event's record, 0: none, or -1. */
static int
next(struct stack_wait *sw, struct dt_event *ev)
{
	const struct dt_rec_string *s;
	int n = stack_wait_next(sw, ev);

	if (n != 1)
		return n;
	assert_int_equal(ev->ev_cpu, 3);
	assert_int_equal(ev->ev_realtime.tv_sec, 7);
	assert_int_equal(ev->ev_nargs, 1);
	assert_int_equal(ev->ev_args[0], 42);
	assert_non_null(s = dt_string(ev, NULL));
	assert_string_equal(DT_STRING_BYTES(s), "textabc");
	assert_int_not_equal(ev->ev_ustack->drs_how, DT_STACK_COPIED);
	return ev->ev_rec->dr_pbn;
}

static int
begin(void **state)
{
	static struct stack_wait sw;

	memset(&supply, 0, sizeof(supply));
	stack_wait_init(&sw, NULL);
	stack_wait_request(&sw, 0);
	*state = &sw;
	return 0;
}

static int
end(void **state)
{
	stack_wait_free(*state);
	return 0;
}

static void
test_without_copies(void **state)
{
	struct dt_event ev;

	add(0);
	assert_int_equal(next(*state, &ev), 1);
	assert_ptr_equal(ev.ev_rec, &supply.records[0].rec); /* not copied */
	assert_int_equal(next(*state, &ev), 0);
	assert_true(stack_wait_due(*state) == UINT64_MAX);
	assert_int_equal(supply.nrequests, 0);
}

static void
test_found(void **state)
{
	static const unsigned int counts[] = { 0, 1, 2, 3, DT_REC_MAXFRAMES };
	struct dt_event ev;
	size_t i, j;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		begin(state);
		add(1);
		supply.nframes[1] = counts[i];
		assert_int_equal(next(*state, &ev), 0);
		assert_true(stack_wait_due(*state) <= 5 * MS);
		stack_wait_request(*state, 5 * MS);
		assert_int_equal(next(*state, &ev), 1);
		assert_int_equal(ev.ev_ustack->drs_how, DT_STACK_TABLE);
		assert_int_equal(ev.ev_ustack->drs_count, counts[i]);
		for (j = 0; j < counts[i]; j++)
			assert_int_equal(DT_STACK_PCS(ev.ev_ustack)[j],
			    0x1000 + j);
		assert_int_equal(next(*state, &ev), 0);
		assert_true(stack_wait_due(*state) == UINT64_MAX);
	}
}

/* Later events wait, and the low water counts only events that were given. */
static void
test_order(void **state)
{
	struct dt_event ev;

	add(0);
	add(1);
	add(0);
	add(2);
	supply.errors[1] = EAGAIN;
	assert_int_equal(next(*state, &ev), 1);
	assert_int_equal(next(*state, &ev), 0);
	assert_int_equal(stack_wait_lowwater(*state), 20);
	stack_wait_request(*state, 50 * MS);
	assert_int_equal(supply.nrequests, 2);
	assert_int_equal(next(*state, &ev), 0); /* only the second is found */
	supply.errors[1] = 0;
	stack_wait_request(*state, 500 * MS);
	assert_int_equal(next(*state, &ev), 2);
	assert_int_equal(stack_wait_lowwater(*state), 20);
	assert_int_equal(next(*state, &ev), 3);
	assert_int_equal(stack_wait_lowwater(*state), 30);
	assert_int_equal(next(*state, &ev), 4);
	assert_int_equal(next(*state, &ev), 0);
	supply.lowwater = 99;
	assert_int_equal(stack_wait_lowwater(*state), 99);
}

/* Without the frames of dtd, those by frame pointers are kept. */
static void
assert_kept(const struct dt_event *ev)
{
	assert_int_equal(ev->ev_ustack->drs_how, DT_STACK_FP);
	assert_int_equal(ev->ev_ustack->drs_end, DT_STACK_PENDING);
	assert_int_equal(ev->ev_ustack->drs_error, 0);
	assert_int_equal(ev->ev_ustack->drs_count, 2);
	assert_int_equal(DT_STACK_PCS(ev->ev_ustack)[1], 2);
}

static void
test_not_found(void **state)
{
	struct dt_event ev;

	add(1);
	add(2);
	supply.errors[1] = ENOENT;
	supply.nframes[2] = DT_REC_MAXFRAMES + 1; /* more than there can be */
	assert_int_equal(next(*state, &ev), 0);
	stack_wait_request(*state, 5 * MS);
	assert_int_equal(next(*state, &ev), 1);
	assert_kept(&ev);
	assert_int_equal(next(*state, &ev), 2);
	assert_kept(&ev);
}

/* A stack is requested a few times, and awaited for a limited time. */
static void
test_too_late(void **state)
{
	struct dt_event ev;
	uint64_t now = 0;

	add(1);
	supply.errors[1] = EAGAIN;
	supply.error = ENODATA;
	while (next(*state, &ev) == 0) {
		now = stack_wait_due(*state);
		assert_true(now < 5000 * MS);
		stack_wait_request(*state, now);
	}
	assert_kept(&ev);
	assert_in_range(now / MS, 4100, 4300);
	assert_in_range(supply.nrequests, 40, 60);
	assert_int_equal(next(*state, &ev), -1);
	assert_int_equal(errno, ENODATA);
}

static void
test_daemon_exits(void **state)
{
	struct dt_event ev;

	add(1);
	add(0);
	supply.errors[1] = EAGAIN;
	supply.error = EPIPE;
	assert_int_equal(next(*state, &ev), 1);
	assert_kept(&ev);
	assert_int_equal(next(*state, &ev), 2);
	assert_int_equal(next(*state, &ev), -1);
	assert_int_equal(errno, EPIPE);
}

static void
test_session_ends(void **state)
{
	struct dt_event ev;

	add(1);
	add(0);
	supply.errors[1] = EAGAIN;
	assert_int_equal(next(*state, &ev), 0);
	stack_wait_end(*state);
	assert_true(stack_wait_due(*state) == UINT64_MAX);
	assert_int_equal(next(*state, &ev), 1);
	assert_int_equal(next(*state, &ev), 2);
	assert_int_equal(next(*state, &ev), 0);
}

/* Beyond the limit of memory, the oldest events do not wait. */
static void
test_memory(void **state)
{
	struct dt_event ev;
	unsigned int i, nread = 0, ngiven = 0;

	add(1);
	supply.errors[1] = EAGAIN;
	for (i = 0; i < 4 * STACK_WAIT_NBYTES / sizeof(struct record); i++) {
		supply.next = 0;
		nread++;
		while (next(*state, &ev) == 1)
			ngiven++;
	}
	assert_true(ngiven > 0);
	assert_true(
	    (nread - ngiven) * sizeof(struct record) < STACK_WAIT_NBYTES);
	assert_true(
	    (nread - ngiven) * sizeof(struct record) > STACK_WAIT_NBYTES / 10);
}

static void
test_passed(void **state)
{
	struct dt_event ev;

	add(0);
	add(1);
	add(0);
	assert_int_equal(next(*state, &ev), 1);
	assert_int_equal(next(*state, &ev), 0);
	/* the second and the third were returned by dt_next(), and wait */
	assert_int_equal(stack_wait_passed(*state, 19), 1);
	assert_int_equal(stack_wait_passed(*state, 20), 0);
	assert_int_equal(stack_wait_passed(*state, 29), 0);
	stack_wait_request(*state, 5 * MS);
	assert_int_equal(next(*state, &ev), 2);
	assert_int_equal(stack_wait_passed(*state, 29), 1);
	assert_int_equal(stack_wait_passed(*state, 30), 0);
	assert_int_equal(next(*state, &ev), 3);
	assert_int_equal(stack_wait_passed(*state, 29), 1);
	assert_int_equal(stack_wait_passed(*state, 30), 0); /* by dt_passed() */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_without_copies, begin,
		    end),
		cmocka_unit_test_setup_teardown(test_found, begin, end),
		cmocka_unit_test_setup_teardown(test_order, begin, end),
		cmocka_unit_test_setup_teardown(test_not_found, begin, end),
		cmocka_unit_test_setup_teardown(test_too_late, begin, end),
		cmocka_unit_test_setup_teardown(test_daemon_exits, begin, end),
		cmocka_unit_test_setup_teardown(test_session_ends, begin, end),
		cmocka_unit_test_setup_teardown(test_memory, begin, end),
		cmocka_unit_test_setup_teardown(test_passed, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
