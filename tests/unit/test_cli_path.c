/* SPDX-License-Identifier: ISC */
/*
 * Paths as text.
 */
#include "tests/unit/test_cli.h"

#include "cli/base/path.h"

static const struct {
	const char *dir, *name, *want; /* NULL: none */
} rows[] = {
	{ NULL, "/etc/passwd", "/etc/passwd" },
	{ NULL, "//etc/./x/..//passwd/", "/etc/passwd" },
	{ NULL, "/", "/" },
	{ NULL, "/..", "/" },
	{ NULL, "/../../a", "/a" },
	{ NULL, "/a/..b/.c", "/a/..b/.c" },
	{ NULL, "a", NULL },
	{ NULL, "", NULL },
	{ "/home/x", "a", "/home/x/a" },
	{ "/home/x", "../y", "/home/y" },
	{ "/home/x", "../../..", "/" },
	{ "/home/x", "", "/home/x" },
	{ "/home/x", ".", "/home/x" },
	{ "/", "a", "/a" },
	{ "/", "..", "/" },
	{ "/home/x", "/b", "/b" },
	{ "socket:[1]", "a", NULL },
	{ "", "a", NULL },
};

static void
names_are_joined(void **state)
{
	char buf[64];
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		n = path_join(buf, sizeof(buf), rows[i].dir, rows[i].name,
		    strlen(rows[i].name));
		if (rows[i].want == NULL) {
			assert_int_equal(n, 0);
			continue;
		}
		assert_int_equal(n, strlen(rows[i].want));
		assert_string_equal(buf, rows[i].want);
	}
}

static void
what_does_not_fit_is_none(void **state)
{
	char buf[9] = "";

	(void)state;
	assert_int_equal(path_join(buf, 8, "/abc", "def", 3), 0);
	assert_int_equal(path_join(buf, 8, "/abc", "de", 2), 7);
	assert_string_equal(buf, "/abc/de");
	assert_int_equal(path_join(buf, 8, "/abcdefg", "", 0), 0);
	assert_int_equal(path_join(buf, 8, NULL, "/a/bbbbbbb/../c", 15), 0);
	assert_int_equal(buf[8], '\0');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_joined),
		cmocka_unit_test(what_does_not_fit_is_none),
	};

	return cmocka_run_group_tests_name("test_cli_path", tests, NULL, NULL);
}
