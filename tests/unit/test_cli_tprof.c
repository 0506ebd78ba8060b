/* SPDX-License-Identifier: ISC */
/*
 * Events of dt tprof: names, where they are counted, how often a sample is
 * taken.
 */
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/tprof.h"

#define BOTH	 (TPROF_PARAM_USER | TPROF_PARAM_KERN)
#define RATIO(x) ((uint64_t)(4294967296.0 / (x)))

static const struct {
	const char *arg;
	const char *name;
	uint64_t unit, event, flags, value2;
} good[] = {
	{ "cpu-clock", "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
	    BOTH, 0 },
	{ "cpu-clock:u", "cpu-clock", PERF_TYPE_SOFTWARE,
	    PERF_COUNT_SW_CPU_CLOCK, TPROF_PARAM_USER, 0 },
	{ "page-faults:ku", "page-faults", PERF_TYPE_SOFTWARE,
	    PERF_COUNT_SW_PAGE_FAULTS, BOTH, 0 },
	{ "instructions:k,=1000", "instructions", PERF_TYPE_HARDWARE,
	    PERF_COUNT_HW_INSTRUCTIONS,
	    TPROF_PARAM_KERN | TPROF_PARAM_VALUE2_TRIGGERCOUNT, 1000 },
	{ "cache-misses,1/10", "cache-misses", PERF_TYPE_HARDWARE,
	    PERF_COUNT_HW_CACHE_MISSES, BOTH | TPROF_PARAM_VALUE2_SCALE,
	    RATIO(0.1) },
	{ "cycles,2.5", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
	    BOTH | TPROF_PARAM_VALUE2_SCALE, RATIO(2.5) },
	{ "LLC-load-misses", "LLC-load-misses", PERF_TYPE_HW_CACHE,
	    PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
	    BOTH, 0 },
	{ "r3c:u", "r3c", PERF_TYPE_RAW, 0x3c, TPROF_PARAM_USER, 0 },
};

static const char *const bad[] = { "", "nosuch", "cpu-clock:", "cpu-clock:x",
	"cpu-clock,", "cpu-clock,0", "cpu-clock,-1", "cpu-clock,1/0",
	"cpu-clock,1/", "cpu-clock,=", "cpu-clock,=0", "cpu-clock,=-1",
	"cpu-clock,=1x", "cpu-clock,nan", "cpu-clock,1e300", "r", "rxyz",
	"../cpu/x/", "nosuch/x/", "msr/../type/",
	"cpu-clock,=99999999999999999999" };

static void
an_event_is_what_its_name_says(void **state)
{
	struct tprof_events tv;
	const struct tprof_event *te;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		memset(&tv, 0, sizeof(tv));
		tprof_event_add(&tv, good[i].arg);
		te = &tv.tv_event[0];
		assert_int_equal(tv.tv_n, 1);
		assert_string_equal(te->te_name, good[i].name);
		assert_int_equal(te->te_param.p_unit, good[i].unit);
		assert_int_equal(te->te_param.p_event, good[i].event);
		assert_int_equal(te->te_param.p_flags, good[i].flags);
		assert_int_equal(te->te_param.p_value2, good[i].value2);
	}
}

/* The status with which an event that makes no sense ends. */
static int
refused(const char *arg)
{
	struct tprof_events tv = { 0 };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		close(STDERR_FILENO);
		tprof_event_add(&tv, arg);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void
what_makes_no_sense_is_wrong_usage(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (refused(bad[i]) != 2)
			fail_msg("-e '%s' was taken", bad[i]);
}

static void
there_are_as_many_as_counters(void **state)
{
	struct tprof_events tv = { 0 };
	int i;

	(void)state;
	for (i = 0; i < TPROF_MAXCOUNTERS; i++)
		tprof_event_add(&tv, "cpu-clock");
	assert_int_equal(tv.tv_n, TPROF_MAXCOUNTERS);
}

static void
find_in_list(const char *name, void *arg)
{
	uint64_t unit, event;

	++*(int *)arg;
	if (tprof_event_find(name, &unit, &event) == -1)
		fail_msg("%s is listed, and not found", name);
}

static void
all_that_is_listed_is_found(void **state)
{
	int n = 0;

	(void)state;
	tprof_event_each(TPROF_IDENT_INTEL_GENERIC, find_in_list, &n);
	assert_true(n > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_is_what_its_name_says),
		cmocka_unit_test(what_makes_no_sense_is_wrong_usage),
		cmocka_unit_test(there_are_as_many_as_counters),
		cmocka_unit_test(all_that_is_listed_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
