/* SPDX-License-Identifier: ISC */
/* Patterns of lookups: matches, refusals, and the time they take. */
#include <errno.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "daemon/base/globpat.h"
#include "daemon/base/reason.h"

static int
match(const char *pattern, const char *text)
{
	struct reason why;
	struct globpat gp;

	assert_int_equal(globpat_compile(&gp, pattern, &why), 0);
	return globpat_match(&gp, text);
}

static void
test_matches(void **state)
{
	static const struct {
		const char *pattern, *yes, *no;
	} rows[] = {
		{ "", "", "a" },
		{ "vfs_read", "vfs_read", "vfs_rea" },
		{ "vfs_read", "vfs_read", "vfs_readv" },
		{ "*", "", NULL },
		{ "***", "abc", NULL },
		{ "vfs_*", "vfs_", "vf" },
		{ "*:entry", "a:entry:entry", "a:entry:" },
		{ "a*b*c", "aXbYbZc", "aXcYb" },
		{ "*aab", "aaaab", "aaaa" },
		{ "?", "x", "" },
		{ "a?c", "abc", "ac" },
		{ "[abc]", "b", "d" },
		{ "[a-cx]", "x", "w" },
		{ "[!a-c]", "d", "b" },
		{ "[^a-c]", "^", "a" },
		{ "[]a]", "]", "b" },
		{ "[!]a]", "b", "]" },
		{ "[a-]", "-", "b" },
		{ "[-a]", "-", "b" },
		{ "[z-a]", NULL, "m" },
		{ "[\\]]", "]", "\\" },
		{ "[a\\-c]", "-", "b" },
		{ "[[]", "[", "]" },
		{ "[[:digit:]_]", "7", "a" },
		{ "[![:digit:]]", "a", "7" },
		{ "[[:x]", ":", "a" },
		{ "\\*", "*", "a" },
		{ "\\[a]", "[a]", "a" },
		{ "a]", "a]", "a" },
		{ "*[\x80-\xff]*", "a\xc3z", "az" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].yes != NULL && !match(rows[i].pattern, rows[i].yes))
			fail_msg("%s: not %s", rows[i].pattern, rows[i].yes);
		if (rows[i].no != NULL && match(rows[i].pattern, rows[i].no))
			fail_msg("%s: %s", rows[i].pattern, rows[i].no);
	}
}

static void
test_refused(void **state)
{
	static const struct {
		const char *pattern, *why;
	} rows[] = {
		{ "a[", "[ without a ]" },
		{ "[]", "[ without a ]" },
		{ "[!]", "[ without a ]" },
		{ "[a-", "[ without a ]" },
		{ "[a\\", "[ without a ]" },
		{ "*[[:alpha:]", "[ without a ]" },
		{ "[[:alphabet:]]", "unknown class [:alphabet" },
		{ "[--[:lower:]]", "range in brackets that ends with [:" },
		{ "[[.a.]]", "not supported" },
		{ "[[=a=]]", "not supported" },
		{ "a\\", "ends with a backslash" },
	};
	struct reason why;
	struct globpat gp;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(globpat_compile(&gp, rows[i].pattern, &why),
		    EINVAL);
		if (strstr(why.rsn_text, rows[i].why) == NULL)
			fail_msg("%s: %s", rows[i].pattern, why.rsn_text);
	}
}

static void
test_longest(void **state)
{
	char pattern[GLOBPAT_MAX + 1];
	struct reason why;
	struct globpat gp;
	size_t i;

	(void)state;
	for (i = 0; i < GLOBPAT_MAX; i++)
		pattern[i] = "[a]"[i % 3];
	pattern[GLOBPAT_MAX] = '\0';
	assert_int_equal(globpat_compile(&gp, pattern, &why), ENAMETOOLONG);
	pattern[GLOBPAT_MAX - 1] = '\0';
	assert_int_equal(globpat_compile(&gp, pattern, &why), 0);
	assert_int_equal(gp.gp_nsets, GLOBPAT_SETS);
	assert_int_equal(globpat_match(&gp, "a"), 0);
}

/* Compares with fnmatch(3), for all short texts of few letters. */
static void
test_as_fnmatch(void **state)
{
	static const char letters[] = "ab[]*?!^-\\:";
	char pattern[6] = "", text[5] = "";
	struct reason why;
	unsigned int i, j, n, nth;
	struct globpat gp;

	(void)state;
	for (nth = 0; nth < 11 * 11 * 11 * 11 * 11; nth++) {
		for (i = 0, n = nth; i < 5; i++, n /= 11)
			pattern[i] = letters[n % 11];
		if (globpat_compile(&gp, pattern, &why) != 0)
			continue;
		for (j = 0; j < 4 * 4 * 4 * 4; j++) {
			for (i = 0, n = j; i < 4; i++, n /= 4)
				text[i] = "ab]\0"[n % 4];
			if (globpat_match(&gp, text) !=
			    (fnmatch(pattern, text, 0) == 0))
				fail_msg("%s and %s", pattern, text);
		}
	}
}

/* A pattern for which fnmatch(3) needs years: 10 s are for an emulator. */
static void
test_bounded(void **state)
{
	char pattern[GLOBPAT_MAX], text[200];
	unsigned int i;
	clock_t start = clock();

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (i = 0; i + 6 < sizeof(pattern); i += 5)
		memcpy(pattern + i, "*[!b]", 5);
	pattern[i] = 'X';
	pattern[i + 1] = '\0';
	for (i = 0; i < 1000; i++)
		assert_false(match(pattern, text));
	assert_true((clock() - start) / CLOCKS_PER_SEC < 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_as_fnmatch),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
