/* SPDX-License-Identifier: ISC */
/* Numbers of CPUs, also with gaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "daemon/base/cpus.h"

static void
test_lists(void **state)
{
	static const char gaps[] = "0-3,8-11\n", single[] = "0,2,64\n";
	unsigned int cpu;

	(void)state;
	assert_int_equal(cpus_list_end("0\n"), 1);
	assert_int_equal(cpus_list_end("0-127"), 128);
	assert_int_equal(cpus_list_end(gaps), 12);
	assert_int_equal(cpus_list_end(single), 65);
	for (cpu = 0; cpu < 70; cpu++) {
		assert_int_equal(cpus_list_has(gaps, cpu),
		    cpu < 4 || (cpu >= 8 && cpu < 12));
		assert_int_equal(cpus_list_has(single, cpu),
		    cpu == 0 || cpu == 2 || cpu == 64);
	}
}

static void
test_machine(void **state)
{
	(void)state;
	assert_in_range(cpus_end(), sysconf(_SC_NPROCESSORS_CONF), 1 << 16);
	assert_true(cpus_ispossible(0));
	assert_true(cpus_ispossible(cpus_end() - 1));
	assert_false(cpus_ispossible(cpus_end()));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_machine),
	};

	return cmocka_run_group_tests_name("cpus", tests, NULL, NULL);
}
