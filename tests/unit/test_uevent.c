/* SPDX-License-Identifier: ISC */
/* uevent_parse(): the messages that a CPU came online or went offline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/device/uevent.h"

#define NOTHING 4711

/*
 * Parses a copy of the exact size, so that a sanitizer detects a read past the
 * end.
 */
static unsigned int
parse(const char *s, size_t nbytes)
{
	unsigned int cpu = NOTHING;
	char *buf = malloc(nbytes + 1);
	int r;

	assert_non_null(buf);
	buf = realloc(buf, nbytes > 0 ? nbytes : 1);
	assert_non_null(buf);
	memcpy(buf, s, nbytes);
	r = uevent_parse(buf, nbytes, &cpu);
	free(buf);
	assert_int_equal(r, cpu != NOTHING);
	return cpu;
}

#define PARSE(s) parse(s, sizeof(s) - 1)
#define SYS	 "/devices/system/cpu/"

static void
test_cpus(void **state)
{
	(void)state;
	assert_int_equal(PARSE("online@" SYS "cpu1\0ACTION=online\0"), 1);
	assert_int_equal(PARSE("offline@" SYS "cpu0\0ACTION=offline\0"), 0);
	assert_int_equal(PARSE("online@" SYS "cpu8191\0"), 8191);
	/* whatever the variables contain */
	assert_int_equal(PARSE("online@" SYS "cpu3\0\0=\0CPU="), 3);
}

static void
test_others(void **state)
{
	(void)state;
	assert_int_equal(PARSE(""), NOTHING);
	assert_int_equal(PARSE("\0"), NOTHING);
	assert_int_equal(PARSE("add@" SYS "cpu1\0"), NOTHING);
	assert_int_equal(PARSE("change@" SYS "cpu1\0"), NOTHING);
	assert_int_equal(PARSE("online@/devices/system/memory/memory1\0"),
	    NOTHING);
	assert_int_equal(PARSE("online@" SYS "cpufreq\0"), NOTHING);
	assert_int_equal(PARSE("libudev\0\xfe\xed\xca\xfe"), NOTHING);
}

static void
test_broken(void **state)
{
	const char *s = "online@" SYS "cpu1";
	size_t n;

	(void)state;
	/* without a NUL, wherever it ends */
	for (n = 0; n <= strlen(s); n++)
		assert_int_equal(parse(s, n), NOTHING);
	assert_int_equal(PARSE("online@" SYS "cpu\0"), NOTHING);
	assert_int_equal(PARSE("online@" SYS "cpu-1\0"), NOTHING);
	assert_int_equal(PARSE("online@" SYS "cpu +1\0"), NOTHING);
	assert_int_equal(PARSE("online@" SYS "cpu1x\0"), NOTHING);
	assert_int_equal(PARSE("online@" SYS "cpu1/cache\0"), NOTHING);
	assert_int_equal(PARSE("online@" SYS "cpu4294967295\0"), NOTHING);
	assert_int_equal(PARSE("online@" SYS "cpu99999999999999999999\0"),
	    NOTHING);
}

static void
test_modules(void **state)
{
	static const char add[] = "add@/module/dummy\0ACTION=add";
	static const char remove[] = "remove@/module/dummy";
	static const char change[] = "change@/module/dummy";
	static const char other[] = "add@/modules/dummy";

	(void)state;
	assert_int_equal(uevent_ismodule(add, sizeof(add)), 1);
	assert_int_equal(uevent_ismodule(remove, sizeof(remove)), 1);
	assert_int_equal(uevent_ismodule(change, sizeof(change)), 0);
	assert_int_equal(uevent_ismodule(other, sizeof(other)), 0);
	assert_int_equal(uevent_ismodule(add, 12), 0);
	assert_int_equal(uevent_ismodule(add, 0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
