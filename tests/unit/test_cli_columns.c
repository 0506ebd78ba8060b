/* SPDX-License-Identifier: ISC */
/*
 * Columns before events: those that a list selects, and their layout.
 */
#include <time.h>

#include "tests/unit/test_cli_print.h"

static int
setup(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	print_open(NULL);
	cgroups_add(&names.nm_cgroups, 77, "/system.slice/a\033.service");
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	print_close();
	return 0;
}

/* Prints line and header of a list. */
static void
check(const char *list, const struct dt_event *ev, const char *head,
    const char *want)
{
	assert_null(columns_parse(&out.out_columns, list));
	if (head != NULL) {
		columns_text(&out, NULL);
		assert_buf(&out.out_buf, head);
	}
	columns_text(&out, ev);
	assert_buf(&out.out_buf, want);
}

static const struct dt_rec rec = { .dr_pid = 12, .dr_tid = 13 };
static const struct dt_rec_who who = {
	.drw_cgroup = 77,
	.drw_uid = 1234,
	.drw_ppid = 3,
};

static void
columns_stand_in_the_order_asked(void **state)
{
	struct dt_event ev = {
		.ev_rec = &rec,
		.ev_who = &who,
		.ev_comm = "sh",
		.ev_cpu = 3,
		.ev_realtime = { .tv_sec = 1700000000, .tv_nsec = 123456789 },
	};

	(void)state;
	check(NULL, &ev,
	    "TIME            CPU COMM            PID/TID       CALL\n",
	    "22:13:20.123456 003 sh              12/13         ");
	check("uid,ppid,tid", &ev, "UID      PPID    TID     CALL\n",
	    "1234     3       13      ");
	check("+cgroup,pid", &ev, NULL,
	    "22:13:20.123456 003 sh              12/13         "
	    "a\\x1b.service            12      ");
	ev.ev_who = NULL;
	check("uid,ppid,cgroup", &ev, NULL,
	    "-        -       -                        ");
	check("comm,comm", &ev, NULL, "sh              sh              ");
}

static void
what_is_too_long_is_made_up_for(void **state)
{
	struct dt_event ev = {
		.ev_rec = &rec,
		.ev_comm = "\033\033\033\033\033",
	};

	(void)state;
	check("comm,pid,tid", &ev, NULL,
	    "\\x1b\\x1b\\x1b\\x1b\\x1b 12 13      ");
}

static void
a_cgroup_without_path_is_its_number(void **state)
{
	const struct dt_rec_who other = { .drw_cgroup = 99 };
	struct dt_event ev = { .ev_rec = &rec, .ev_who = &other };

	(void)state;
	check("cgroup", &ev, NULL, "99                       ");
}

static void
columns_ask_for_what_they_need(void **state)
{
	struct columns cs;

	(void)state;
	columns_parse(&cs, "time,pid");
	assert_int_equal(columns_evtflags(&cs), 0);
	columns_parse(&cs, NULL);
	assert_int_equal(columns_evtflags(&cs), DTEVT_EXECNAME);
	columns_parse(&cs, "+uid");
	assert_int_equal(columns_evtflags(&cs), DTEVT_EXECNAME | DTEVT_WHO);
}

static void
wrong_lists_are_told(void **state)
{
	struct columns cs;

	(void)state;
	assert_non_null(strstr(columns_parse(&cs, "comn"),
	    "'comn', did you mean comm?; columns are time, "));
	assert_non_null(
	    strstr(columns_parse(&cs, "xyzzy"), "'xyzzy'; columns are time, "));
	assert_non_null(columns_parse(&cs, ""));
	assert_non_null(columns_parse(&cs, "+"));
	assert_non_null(columns_parse(&cs, "pid,"));
	assert_non_null(columns_parse(&cs, "pid,,tid"));
	assert_non_null(columns_parse(&cs,
	    "pid,pid,pid,pid,pid,pid,pid,pid,pid,pid,pid,pid,pid,pid,pid,pid,"
	    "pid"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_stand_in_the_order_asked),
		cmocka_unit_test(what_is_too_long_is_made_up_for),
		cmocka_unit_test(a_cgroup_without_path_is_its_number),
		cmocka_unit_test(columns_ask_for_what_they_need),
		cmocka_unit_test(wrong_lists_are_told),
	};

	return cmocka_run_group_tests_name("test_cli_columns", tests, setup,
	    teardown);
}
