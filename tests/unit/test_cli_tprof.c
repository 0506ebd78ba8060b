/* SPDX-License-Identifier: ISC */
/*
 * Events of dt tprof: names, modes in which they are counted, sample periods.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/tprof/tprof.h"

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
	{ "llc-misses:k,1000", "llc-misses", PERF_TYPE_HARDWARE,
	    PERF_COUNT_HW_CACHE_MISSES,
	    TPROF_PARAM_KERN | TPROF_PARAM_VALUE2_SCALE, RATIO(1000) },
	{ "cache-misses,=0x40", "cache-misses", PERF_TYPE_HARDWARE,
	    PERF_COUNT_HW_CACHE_MISSES, BOTH | TPROF_PARAM_VALUE2_TRIGGERCOUNT,
	    64 },
	{ "cycles,2.5", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
	    BOTH | TPROF_PARAM_VALUE2_SCALE, RATIO(2.5) },
	{ "LLC-load-misses", "LLC-load-misses", PERF_TYPE_HW_CACHE,
	    PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
	    BOTH, 0 },
	{ "r3c:u", "r3c", PERF_TYPE_RAW, 0x3c, TPROF_PARAM_USER, 0 },
};

static const char *const bad[] = { "", "nosuch", "cpu-clock:", "cpu-clock:x",
	"cpu-clock,", "cpu-clock,0", "cpu-clock,-1", "cpu-clock,1/10",
	"cpu-clock,0x", "cpu-clock,=", "cpu-clock,=0", "cpu-clock,=-1",
	"cpu-clock,=1x", "cpu-clock,nan", "cpu-clock,1e300", "r", "rxyz", "r-1",
	"r11111111111111111", "../cpu/x/", "nosuch/x/", "msr/../type/",
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
		assert_null(tprof_event_add(&tv, good[i].arg));
		te = &tv.tv_event[0];
		assert_int_equal(tv.tv_n, 1);
		assert_string_equal(te->te_name, good[i].name);
		assert_int_equal(te->te_param.p_unit, good[i].unit);
		assert_int_equal(te->te_param.p_event, good[i].event);
		assert_int_equal(te->te_param.p_flags, good[i].flags);
		assert_int_equal(te->te_param.p_value2, good[i].value2);
	}
}

static void
what_makes_no_sense_is_wrong_usage(void **state)
{
	struct tprof_events tv = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (tprof_event_add(&tv, bad[i]) == NULL || tv.tv_n != 0)
			fail_msg("-e '%s' was taken", bad[i]);
}

static void
there_are_as_many_as_counters(void **state)
{
	struct tprof_events tv = { 0 };
	int i;

	(void)state;
	for (i = 0; i < TPROF_MAXCOUNTERS; i++)
		assert_null(tprof_event_add(&tv, "cpu-clock"));
	assert_non_null(tprof_event_add(&tv, "cpu-clock"));
	assert_int_equal(tv.tv_n, TPROF_MAXCOUNTERS);
}

/*
 * Files of sysfs, as the kernels of AMD, Intel and ARM machines write them.
 */

static const struct {
	const char *file, *text;
} sysfs[] = {
	{ "cpu/type", "4" },
	{ "cpu/format/event", "config:0-7,32-35" },
	{ "cpu/format/umask", "config:8-15" },
	{ "cpu/format/edge", "config:18" },
	{ "cpu/format/ldlat", "config1:0-15" },
	{ "cpu/events/cpu-cycles", "event=0x76" },
	{ "cpu/events/dispatch", "event=0x5af,umask=0x20,edge" },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
	{ "cpu/events/wide", "event=0x3c,umask=0x100" },
	{ "cpu/events/energy.scale", "2.3e-10" },
	{ "armv8_cortex_a57/type", "8" },
	{ "armv8_cortex_a57/format/event", "config:0-15" },
	{ "armv8_cortex_a57/events/inst_retired", "event=0x0008" },
	{ "msr/type", "9" },
	{ "msr/format/event", "config:0-63" },
	{ "msr/events/tsc", "event=0x00" },
	{ "uncore_imc/type", "20" },
	{ "uncore_imc/format/event", "config:0-7" },
	{ "uncore_imc/events/cas_count", "event=0x4" },
};

/* found 0: not available. */
static const struct {
	const char *name;
	uint64_t unit, event;
	int found;
} pmu_events[] = {
	{ "cpu/cpu-cycles/", 4, 0x76, 1 },
	{ "cpu-cycles", 4, 0x76, 1 },
	{ "cpu/dispatch/", 4, 0x5000420afULL, 1 },
	{ "cpu/event=0x3c,umask=1/", 4, 0x13c, 1 },
	{ "cpu/umask=0xff,event=0xfff,edge=1/", 4, 0xf0004ffffULL, 1 },
	{ "inst_retired", 8, 8, 1 },
	{ "INST_RETIRED", 8, 8, 1 }, /* like NetBSD */
	{ "armv8_cortex_a57/event=0x11/", 8, 0x11, 1 },
	{ "msr/tsc/", 9, 0, 1 },
	{ "msr/event=0xffffffffffffffff/", 9, ~0ULL, 1 },
	{ "mem-loads", 0, 0, 0 },
	{ "cpu/mem-loads/", 0, 0, 0 },
	{ "wide", 0, 0, 0 },
	{ "tsc", 0, 0, 0 },
	{ "edge", 0, 0, 0 },
	{ "cpu/nosuch=1/", 0, 0, 0 },
	{ "cpu/event=/", 0, 0, 0 },
	{ "cpu/event=1x/", 0, 0, 0 },
	{ "cpu/event=0x1000/", 0, 0, 0 },
	{ "cpu/../msr/tsc/", 0, 0, 0 },
	{ "nosuch/event=1/", 0, 0, 0 },
};

#define FOLDER "/tmp/test_cli_tprof.XXXXXX"
static char sysfs_folder[] = FOLDER;

static int
sysfs_make(void **state)
{
	char path[512], *slash;
	FILE *f;
	size_t i;

	(void)state;
	strcpy(sysfs_folder, FOLDER);
	if (mkdtemp(sysfs_folder) == NULL)
		return -1;
	for (i = 0; i < sizeof(sysfs) / sizeof(sysfs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", sysfs_folder,
		    sysfs[i].file);
		for (slash = strchr(path + strlen(sysfs_folder) + 1, '/');
		     slash != NULL; slash = strchr(slash + 1, '/')) {
			*slash = '\0';
			if (mkdir(path, 0700) == -1 && errno != EEXIST)
				return -1;
			*slash = '/';
		}
		if ((f = fopen(path, "we")) == NULL)
			return -1;
		fprintf(f, "%s\n", sysfs[i].text);
		fclose(f);
	}
	tprof_pmus = sysfs_folder;
	return 0;
}

static int
sysfs_remove_one(const char *path, const struct stat *st, int type,
    struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int
sysfs_remove(void **state)
{
	(void)state;
	tprof_pmus = "/sys/bus/event_source/devices";
	return nftw(sysfs_folder, sysfs_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void
events_of_sysfs_are_numbers_by_their_formats(void **state)
{
	uint64_t unit, event;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pmu_events) / sizeof(pmu_events[0]); i++) {
		unit = event = 0;
		if ((tprof_event_find(pmu_events[i].name, &unit, &event) ==
			0) != pmu_events[i].found ||
		    (pmu_events[i].found &&
			(unit != pmu_events[i].unit ||
			    event != pmu_events[i].event)))
			fail_msg("%s: unit %ju, event %#jx", pmu_events[i].name,
			    (uintmax_t)unit, (uintmax_t)event);
	}
}

struct listed {
	char li_text[4096];
	int li_n;
};

static void
find_in_list(const char *group, const char *name, void *arg)
{
	struct listed *li = arg;
	size_t len = strlen(li->li_text);
	uint64_t unit, event;

	li->li_n++;
	snprintf(li->li_text + len, sizeof(li->li_text) - len, "%s: %s\n",
	    group, name);
	if (tprof_event_find(name, &unit, &event) == -1)
		fail_msg("%s is listed, and not found", name);
}

/*
 * The kernel's own events, and those of a processor: no other unit, and no
 * event that cannot be opened.
 */
static void
what_is_listed_can_be_asked_for(void **state)
{
	struct listed li = { 0 };

	(void)state;
	tprof_event_each(TPROF_IDENT_SOFTWARE, find_in_list, &li);
	assert_non_null(strstr(li.li_text, "software: cpu-clock\n"));
	assert_null(strstr(li.li_text, "hardware"));
	assert_non_null(strstr(li.li_text,
	    "armv8_cortex_a57: armv8_cortex_a57/inst_retired/\n"
	    "cpu: cpu/cpu-cycles/\n"
	    "cpu: cpu/dispatch/\n"
	    "msr: msr/tsc/\n"));
	assert_null(strstr(li.li_text, "mem-loads"));
	assert_null(strstr(li.li_text, "uncore"));
}

static void
all_that_is_listed_is_found(void **state)
{
	struct listed li = { 0 };

	(void)state;
	tprof_event_each(TPROF_IDENT_INTEL_GENERIC, find_in_list, &li);
	assert_true(li.li_n > 20);
	assert_non_null(strstr(li.li_text, ": llc-misses\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_is_what_its_name_says),
		cmocka_unit_test(what_makes_no_sense_is_wrong_usage),
		cmocka_unit_test(there_are_as_many_as_counters),
		cmocka_unit_test(all_that_is_listed_is_found),
		cmocka_unit_test_setup_teardown(
		    events_of_sysfs_are_numbers_by_their_formats, sysfs_make,
		    sysfs_remove),
		cmocka_unit_test_setup_teardown(what_is_listed_can_be_asked_for,
		    sysfs_make, sysfs_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
