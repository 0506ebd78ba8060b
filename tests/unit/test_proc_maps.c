/* SPDX-License-Identifier: ISC */
/* proc_maps_line(): lines of /proc/PID/maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "daemon/procs/proc_maps.h"

/* Parses a copy of the exact size; the path points into the copy. */
static char *copy;

static size_t
line(const char *text, struct sideband_event *se)
{
	size_t n = strlen(text);

	free(copy);
	copy = malloc(n > 0 ? n : 1);
	assert_non_null(copy);
	memcpy(copy, text, n);
	return proc_maps_line(copy, n, se);
}

static void
is_path(const struct sideband_event *se, const char *path)
{
	assert_int_equal(se->se_type, SIDEBAND_MMAP);
	assert_int_equal(se->se_id.ii_pathlen, strlen(path));
	assert_memory_equal(se->se_id.ii_path, path, strlen(path));
}

static void
test_lines(void **state)
{
	struct sideband_event se;

	(void)state;
	assert_int_equal(line("55f0a000-55f0c000 r-xp 00002000 fe:01 77   "
			      "                 /usr/bin/true\nmore",
			     &se),
	    74);
	is_path(&se, "/usr/bin/true");
	assert_int_equal(se.se_start, 0x55f0a000);
	assert_int_equal(se.se_end, 0x55f0c000);
	assert_int_equal(se.se_off, 0x2000);
	assert_int_equal(se.se_id.ii_dev, makedev(0xfe, 1));
	assert_int_equal(se.se_id.ii_ino, 77);
	assert_int_not_equal(line("7ff000-800000 rwxp 00000000 00:00 0 \n",
				 &se),
	    0);
	is_path(&se, "");
	assert_int_not_equal(line("7ff000-800000 r-xp 00000000 00:00 0\n", &se),
	    0);
	is_path(&se, "");
	assert_int_not_equal(line("ffffffffff600000-ffffffffff601000 --xp "
				  "00000000 00:00 0     [vsyscall]\n",
				 &se),
	    0);
	is_path(&se, "[vsyscall]");
	assert_int_not_equal(
	    line("1000-2000 r-xs 0 00:01 5   /memfd:a b (deleted)\n", &se), 0);
	is_path(&se, "/memfd:a b (deleted)");
}

static void
test_others(void **state)
{
	static const char *const texts[] = { "\n", "-\n", "1000-2000\n",
		"1000-2000 \n", "1000-2000 r-xp\n", "1000-2000 r-x\n",
		"1000-2000 rw-p 00000000 00:00 0 \n",
		"1000-2000 r--x 00000000 00:00 0 \n",
		"2000-1000 r-xp 00000000 00:00 0 \n",
		"1000-1000 r-xp 00000000 00:00 0 \n",
		"1000-2000 r-xp 00000000 00:00 \n",
		"1000-2000 r-xp 00000000 00:00\n",
		"1000-2000 r-xp 00000000 00-00 0\n",
		"1000-2000 r-xp x 00:00 0\n", "G000-2000 r-xp 0 00:00 0\n",
		"1000-2000 r-xp 0 00:00 12a /x\n",
		"111111111111111111111-2222222222222222222222 r-xp 0 00:00 0\n",
		" 1000-2000 r-xp 00000000 00:00 0 /x\n" };
	struct sideband_event se;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(line(texts[i], &se), strlen(texts[i]));
		assert_int_equal(se.se_type, SIDEBAND_OTHER);
	}
	assert_int_equal(line("", &se), 0);
	assert_int_equal(line("1000-2000 r-xp 00000000 00:00 0 /x", &se), 0);
}

static int
teardown(void **state)
{
	(void)state;
	free(copy);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests_name("symmaps", tests, NULL, teardown);
}
