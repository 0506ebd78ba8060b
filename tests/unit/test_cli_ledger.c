/* SPDX-License-Identifier: ISC */
/*
 * The ledger as text.
 */
#include "tests/unit/test_cli.h"

#include "cli/out/out_ledger.h"
#include "cli/session/losses.h"

static struct buf b;

static void
all_is_well_in_one_line(void **state)
{
	struct dt_ledger dl = {
		.dl_fired = 1234,
		.dl_read = 1234,
		.dl_flags = DT_LEDGER_FINAL,
	};
	struct ledger_run lr = { .lr_shown = 1234 };

	(void)state;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b, "dt: 1234 events, none lost\n");
	dl.dl_fired = dl.dl_read = 1;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b, "dt: 1 event, none lost\n");
	dl.dl_read = 10;
	lr.lr_shown = 4;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b, "dt: 10 events (4 shown), none lost\n");
	lr.lr_filtered = 6;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 10 events (4 shown), none lost\n"
	    "dt: 6 events were excluded by --path\n");
	lr.lr_unknown = 1;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 10 events (4 shown), none lost\n"
	    "dt: 6 events were excluded by --path\n"
	    "dt: among them 1 event with an unknown path\n");
}

static void
losses_tell_why_and_what_to_do(void **state)
{
	struct dt_ledger dl = {
		.dl_fired = 1000,
		.dl_read = 750,
		.dl_dropped = 200,
		.dl_recursed = 50,
		.dl_missed = 250,
		.dl_flags = DT_LEDGER_FINAL,
	};
	struct ledger_run lr = {
		.lr_shown = 750,
		.lr_ringbytes = 1 << 20,
		.lr_nrings = 8,
		.lr_hasstacks = 1,
	};

	(void)state;
	assert_int_equal(ledger_lost(&dl), 500);
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 750 events, 500 lost (40.0 %)\n"
	    "dt: 200 dropped: the ring buffer was full because dt read too "
	    "slowly; "
	    "try a larger buffer (--buffer 32768k), fewer probes or a filter "
	    "(-p, -u, --comm), or no stacks\n"
	    "dt: 50 recursed: the CPU was recording another event; fewer do "
	    "without stacks\n"
	    "dt: 250 missed: the kernel skips probes inside other probes, "
	    "and returns of a function that too many threads execute\n");
}

static void
the_largest_buffer_is_not_advised(void **state)
{
	struct dt_ledger dl = {
		.dl_fired = 100000,
		.dl_read = 99999,
		.dl_dropped = 1,
		.dl_flags = DT_LEDGER_FINAL,
	};
	struct ledger_run lr = {
		.lr_shown = 99999,
		.lr_ringbytes = 4 << 20,
		.lr_nrings = 2,
	};

	(void)state;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 99999 events, 1 lost (less than 0.1 %)\n"
	    "dt: 1 dropped: the ring buffer was full because dt read too "
	    "slowly; "
	    "try fewer probes or a filter (-p, -u, --comm)\n");
	/* there is no remedy for a file */
	lr.lr_isreport = 1;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 99999 events, 1 lost (less than 0.1 %)\n"
	    "dt: 1 dropped: the ring buffer was full because dt read too "
	    "slowly\n");
}

static void
what_was_left_out_is_no_loss(void **state)
{
	struct dt_ledger dl = {
		.dl_fired = 5,
		.dl_read = 5,
		.dl_excluded = 3,
		.dl_compat = 1,
		.dl_unfollowed = 2,
		.dl_flags = DT_LEDGER_FINAL,
	};
	struct ledger_run lr = { .lr_shown = 5 };

	(void)state;
	assert_int_equal(ledger_lost(&dl), 0);
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: 3 events of dt itself were excluded (--self records them)\n"
	    "dt: 1 system call of 32-bit programs was not recorded (syscall32 "
	    "records them)\n"
	    "dt: 2 processes could not be followed: there were too many\n");
	lr.lr_isreport = 1;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: 3 events of dt itself were excluded\n"
	    "dt: 1 system call of 32-bit programs was not recorded\n"
	    "dt: 2 processes could not be followed: there were too many\n");
}

static void
late_events_are_no_loss(void **state)
{
	struct dt_ledger dl = {
		.dl_fired = 5,
		.dl_read = 5,
		.dl_flags = DT_LEDGER_FINAL,
	};
	struct ledger_run lr = { .lr_shown = 5, .lr_late = 1 };

	(void)state;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: 1 event late: it follows newer ones\n");
	lr.lr_late = 3;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: 3 events late: they follow newer ones\n");
}

static void
idle_ticks_are_no_loss(void **state)
{
	struct dt_ledger dl = {
		.dl_fired = 5,
		.dl_read = 5,
		.dl_idle = 10,
		.dl_flags = DT_LEDGER_FINAL,
	};
	struct ledger_run lr = { .lr_shown = 5 };

	(void)state;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b, "dt: 5 events, none lost\n");
	assert_int_equal(ledger_skipped(&dl), 0);
	dl.dl_skiptick = 2;
	/* fewer than chance changes */
	ledger_text(&b, &dl, &lr);
	assert_buf(&b, "dt: 5 events, none lost\n");
	dl.dl_skiptick = 4;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: 4 clock ticks skipped: the CPU had interrupts disabled, or "
	    "the virtual machine was paused; a lower rate (-F) skips fewer\n");
	dl.dl_skiptick = 30;
	dl.dl_fired = dl.dl_read = 970;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b, "dt: 970 events (5 shown), none lost\n");
	dl.dl_skiptick = 33;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 970 events (5 shown), none lost\n"
	    "dt: 33 clock ticks skipped: the CPU had interrupts disabled, or "
	    "the virtual machine was paused; a lower rate (-F) skips fewer\n");
	/* 1 % is no matter in any number */
	dl.dl_skiptick = 900;
	dl.dl_fired = dl.dl_read = 100000;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b, "dt: 100000 events (5 shown), none lost\n");
}

static void
a_ledger_that_is_not_final_says_so(void **state)
{
	struct dt_ledger dl = { .dl_fired = 5, .dl_read = 5 };
	struct ledger_run lr = { .lr_shown = 5 };

	(void)state;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: these numbers are not final: the recording did not end "
	    "normally\n");
}

static void
the_cost_is_told_if_it_is_known(void **state)
{
	struct dt_ledger dl = {
		.dl_fired = 5,
		.dl_read = 5,
		.dl_flags = DT_LEDGER_FINAL,
	};
	struct ledger_run lr = {
		.lr_shown = 5,
		.lr_cost = 18499,
		.lr_ncpu = 2,
		.lr_note = "too much\n",
	};

	(void)state;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: tracing took 1.8 % of 2 CPUs\n");
	lr.lr_cost = 999;
	lr.lr_ncpu = 1;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: tracing took less than 0.1 % of 1 CPU\n");
	lr.lr_ncpu = 0;
	dl.dl_flags |= DT_LEDGER_STOPPED;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: dtd stopped the recording: too much\\x0a; use fewer probes "
	    "or no stacks, or --no-limit to continue at any cost\n");
	lr.lr_note = NULL;
	lr.lr_isreport = 1;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: dtd stopped the recording: tracing cost too much\n");
}

static void
missing_tables_are_told(void **state)
{
	struct dt_ledger dl = {
		.dl_fired = 5,
		.dl_read = 5,
		.dl_flags = DT_LEDGER_FINAL | DT_LEDGER_NOTABLES,
	};
	struct ledger_run lr = { .lr_shown = 5 };

	(void)state;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: dtd cannot use unwind tables here, so user stacks are by "
	    "frame pointers; its log has the reason\n");
}

static void
the_end_of_dtd_is_told(void **state)
{
	struct dt_ledger dl = {
		.dl_fired = 5,
		.dl_read = 5,
		.dl_flags = DT_LEDGER_FINAL | DT_LEDGER_ENDED,
	};
	struct ledger_run lr = { .lr_shown = 5 };

	(void)state;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 5 events, none lost\n"
	    "dt: dtd exited, which ended the recording; earlier events are "
	    "accounted for\n");
	ledger_broken(&b, 1);
	assert_buf(&b,
	    "dt: 1 event read; the ledger is missing, so the number of other "
	    "events is unknown\n");
}

#define ADVICE \
	"; enable at most 32 probes of functions, or entries only " \
	"(kprobe:NAME:entry)"

/*
 * Advice is printed only while the user can follow it, and where misses
 * dominate.
 */
static void
skipped_returns_are_explained(void **state)
{
	static const char missed[] =
	    "missed: the kernel skips probes inside other probes, and "
	    "returns of a function that too many threads execute";
	struct dt_ledger dl = {
		.dl_read = 2,
		.dl_missed = 3,
		.dl_flags = DT_LEDGER_FINAL,
	};
	struct ledger_run lr = { .lr_shown = 2 };
	char text[512];

	(void)state;
	ledger_text(&b, &dl, &lr);
	snprintf(text, sizeof(text),
	    "dt: 2 events, 3 lost (60.0 %%)\ndt: 3 %s" ADVICE "\n", missed);
	assert_buf(&b, text);
	dl.dl_missed = 2;
	ledger_text(&b, &dl, &lr);
	snprintf(text, sizeof(text),
	    "dt: 2 events, 2 lost (50.0 %%)\ndt: 2 %s\n", missed);
	assert_buf(&b, text);
	dl.dl_missed = 0;
	dl.dl_flags |= DT_LEDGER_MISSED_UNKNOWN | DT_LEDGER_RETURNS_UNKNOWN;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 2 events, none known to be lost\n"
	    "dt: returns may be missing: this kernel skips returns, without "
	    "counting them, while many threads execute a function; with at "
	    "most 32 "
	    "probes of functions it skips none\n");
}

static void
what_was_let_go_is_no_loss(void **state)
{
	struct dt_ledger dl = {
		.dl_fired = 9,
		.dl_read = 9,
		.dl_flags = DT_LEDGER_FINAL | DT_LEDGER_NEWEST,
	};
	struct ledger_run lr = {
		.lr_shown = 9,
		.lr_file = "a\033b",
		.lr_newest = {
			.ln_wanted = 30000000000,
			.ln_nsecs = 30000000000,
			.ln_kept = 8,
			.ln_letgo = 1,
		},
	};

	(void)state;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 9 events (8 kept), none lost\n"
	    "dt: a\\x1bb has the last 30.0 s: 8 events; 1 older one discarded\n");
	lr.lr_newest.ln_nsecs = 12000000;
	lr.lr_newest.ln_kept = 1;
	lr.lr_newest.ln_letgo = 8;
	lr.lr_newest.ln_memory = 16 << 20;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 9 events (1 kept), none lost\n"
	    "dt: a\\x1bb has the last 12 ms: 1 event; 8 older ones "
	    "discarded; 16 MB did not suffice for 30.0 s (--memory)\n");
	lr = (struct ledger_run){ .lr_shown = 1, .lr_isreport = 1 };
	dl.dl_flags = DT_LEDGER_NEWEST;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 9 events (1 shown), none lost\n"
	    "dt: only the newest events were kept (--last); 8 are not in the "
	    "file\n"
	    "dt: the recording continued after this was written\n");
	assert_int_equal(ledger_lost(&dl), 0);
}

static void
losses_are_reported_at_once_then_now_and_then(void **state)
{
	struct dtioc_stat st = { .dtst_readevt = 300,
		.dtst_dropevt = 60,
		.dtst_recurevt = 40 };
	struct losses lo = { 0 };
	const uint64_t s = 1000000000;

	(void)state;
	losses_text(&lo, &b, &st, 100 * s);
	assert_buf(&b,
	    "dt: losing events: 100 so far (25.0 %); a larger buffer (--buffer, "
	    "--buffer-max), fewer probes or a filter helps\n");
	st.dtst_dropevt = 160;
	losses_text(&lo, &b, &st, 101 * s);
	assert_buf(&b, "");
	losses_text(&lo, &b, &st, 105 * s);
	assert_buf(&b,
	    "dt: losing events: 200 so far (40.0 %); a larger buffer (--buffer, "
	    "--buffer-max), fewer probes or a filter helps\n");
	losses_text(&lo, &b, &st, 200 * s);
	assert_buf(&b, "");
}

static void
rings_that_grew_need_a_larger_maximum(void **state)
{
	struct dt_ledger dl = { .dl_read = 1,
		.dl_dropped = 1,
		.dl_flags = DT_LEDGER_FINAL };
	struct ledger_run lr = { .lr_shown = 1,
		.lr_ringbytes = 32 << 20,
		.lr_nrings = 2,
		.lr_maxbudget = 64 << 20 };

	(void)state;
	ledger_text(&b, &dl, &lr);
	assert_buf(&b,
	    "dt: 1 event, 1 lost (50.0 %)\n"
	    "dt: 1 dropped: the ring buffer was full because dt read too "
	    "slowly; try "
	    "a larger buffer (--buffer-max 256M), fewer probes or a filter (-p, "
	    "-u, --comm)\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_well_in_one_line),
		cmocka_unit_test(losses_tell_why_and_what_to_do),
		cmocka_unit_test(the_largest_buffer_is_not_advised),
		cmocka_unit_test(what_was_left_out_is_no_loss),
		cmocka_unit_test(late_events_are_no_loss),
		cmocka_unit_test(idle_ticks_are_no_loss),
		cmocka_unit_test(a_ledger_that_is_not_final_says_so),
		cmocka_unit_test(skipped_returns_are_explained),
		cmocka_unit_test(missing_tables_are_told),
		cmocka_unit_test(the_end_of_dtd_is_told),
		cmocka_unit_test(what_was_let_go_is_no_loss),
		cmocka_unit_test(the_cost_is_told_if_it_is_known),
		cmocka_unit_test(losses_are_reported_at_once_then_now_and_then),
		cmocka_unit_test(rings_that_grew_need_a_larger_maximum),
	};
	int n;

	buf_init(&b, -1);
	n = cmocka_run_group_tests_name("test_cli_ledger", tests, NULL, NULL);
	buf_free(&b);
	return n;
}
