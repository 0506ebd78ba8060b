/* SPDX-License-Identifier: ISC */
/*
 * The lines of dt top at any width, and the lines of dt record on a terminal.
 */
#include "tests/unit/test_cli.h"

#include <locale.h>
#include <math.h>
#include <pty.h>
#include <unistd.h>

#include "cli/out/out_text.h"
#include "cli/top/top_layout.h"

static const struct top_view view = {
	.tov_name = "test",
	.tov_label = "NAME",
	.tov_columns = {
	    { "PID", TOP_PID, 0, 7 },
	    { "%CPU", TOP_PERCENT, 0, 6 },
	    { "BYTES", TOP_BYTES, 1, 6 },
	    { "TIME", TOP_NSECS, 2, 7 },
	    { "S", TOP_TEXT, 0, 1 },
	},
	.tov_sort = 1,
};

/* Lays a row out; the caller frees the text. */
static char *
row(const char *name, double bytes, unsigned int width)
{
	struct top_run tp = { .top_scopes = {
				  { .tsc_view = &view, .tsc_sort = 1 } } };
	struct top_row r = { .tow_pid = 812,
		.tow_nums = { 12.34, bytes, 1500000 },
		.tow_tags = { "R" },
		.tow_name = (char *)name };
	struct buf b;

	buf_init(&b, -1);
	top_layout_row(&b, &tp, &r, width);
	buf_c(&b, '\0');
	return b.b_data;
}

static void
rows_have_units(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} cases[] = {
		{ 0, "    812   12.3      0  1.50ms R nginx" },
		{ 999, "    812   12.3    999  1.50ms R nginx" },
		{ 1000, "    812   12.3   1.0k  1.50ms R nginx" },
		{ 1024, "    812   12.3   1.0k  1.50ms R nginx" },
		{ 3.5 * 1024 * 1024, "    812   12.3   3.5M  1.50ms R nginx" },
		{ 1e18, "    812   12.3   888P  1.50ms R nginx" },
		{ NAN, "    812   12.3      -  1.50ms R nginx" },
	};
	size_t i;
	char *text;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text = row("nginx", cases[i].bytes, 80);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

/* The column of the order is first to stay; no line is wider than the screen. */
static void
narrow_screens_have_fewer_columns(void **state)
{
	unsigned int width;
	char *text;

	(void)state;
	text = row("nginx", 0, 20);
	assert_string_equal(text, "  12.3 R nginx");
	free(text);
	for (width = 0; width < 100; width++) {
		text = row("a name that is longer than any screen here, and "
			   "goes on and on and on and on",
		    0, width);
		assert_true(strlen(text) <= width);
		free(text);
	}
}

static void
hostile_names_stay_in_their_line(void **state)
{
	char *text = row("a\033[2J\nb", 0, 80);

	(void)state;
	assert_string_equal(text,
	    "    812   12.3      0  1.50ms R a\\x1b[2J\\x0ab");
	free(text);
}

static void
characters_are_never_cut(void **state)
{
	static const struct {
		const char *text;
		unsigned int width;
		size_t fits;
	} cases[] = {
		{ "", 0, 0 },
		{ "abc", 2, 2 },
		{ "gr\303\274n", 3, 4 },
		{ "gr\303\274n", 2, 2 },
		/* of two columns each */
		{ "\346\274\242\345\255\227", 3, 3 },
		{ "\346\274\242\345\255\227", 4, 6 },
		/* a stray byte has one */
		{ "\377\377", 1, 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(top_layout_fit(cases[i].text, cases[i].width),
		    cases[i].fits);
}

/* Breaks a text on a terminal of this width. */
static void
wrapped_at(unsigned short width, const char *text, const char *expected)
{
	struct winsize ws = { .ws_row = 24, .ws_col = width };
	struct out out = { .out_isterminal = 1 };
	int master, slave;

	assert_int_equal(openpty(&master, &slave, NULL, NULL, &ws), 0);
	buf_init(&out.out_buf, slave);
	buf_str(&out.out_buf, "before\n");
	buf_str(&out.out_buf, text);
	text_wrap(&out.out_buf, 7);
	assert_int_equal(out.out_buf.b_len, 7 + strlen(expected));
	assert_memory_equal(out.out_buf.b_data + 7, expected, strlen(expected));
	out.out_buf.b_len = 0;
	buf_free(&out.out_buf);
	close(master);
	close(slave);
}

static void
wrapped(const char *text, const char *expected)
{
	wrapped_at(40, text, expected);
}

static void
lines_break_between_words(void **state)
{
	(void)state;
	wrapped("short\n", "short\n");
	wrapped("exactly forty columns, so it is not cut.\n",
	    "exactly forty columns, so it is not cut.\n");
	wrapped("this line has more than forty columns in it\n",
	    "this line has more than forty columns in\n        it\n");
	wrapped("    indented-without-any-blank-in-forty-columns-or-more\n",
	    "    indented-without-any-blank-in-forty-columns-or-more\n");
	wrapped("one-word-of-more-than-forty-columns-is-never-cut but then\n",
	    "one-word-of-more-than-forty-columns-is-never-cut\n        but "
	    "then\n");
	wrapped("\033[1mcolours\033[m have no columns, so it fits it\n",
	    "\033[1mcolours\033[m have no columns, so it fits it\n");
	wrapped("a stack follows, which has its own lines\n        frame+0x1\n",
	    "a stack follows, which has its own lines\n        frame+0x1\n");
	wrapped("blanks at the end of a column            are not printed\n",
	    "blanks at the end of a column\n        are not printed\n");
	wrapped("                        indented by more than half\n",
	    "        indented by more than half\n");
}

static void
narrow_lines_have_less_indent(void **state)
{
	(void)state;
	wrapped_at(20, "    it fits into 20.\n", "    it fits into 20.\n");
	wrapped_at(20, "        a_function_of_16\n", "  a_function_of_16\n");
	wrapped_at(20, "        main (ask)\n", "  main (ask)\n");
	wrapped_at(20, "5 threads: S in futex_wait for 9s\n",
	    "5 threads: S in\n  futex_wait for 9s\n");
	wrapped_at(20, "         321       1234.5     812  ask  syscall:read\n",
	    "  321       1234.5\n  812  ask\n  syscall:read\n");
	wrapped_at(20, "\033[1m  bold and long enough\033[m\n",
	    "\033[1m  bold and long\n  enough\033[m\n");
	wrapped_at(9, "narrower than what is supported\n",
	    "narrower than what is supported\n");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_units),
		cmocka_unit_test(narrow_screens_have_fewer_columns),
		cmocka_unit_test(hostile_names_stay_in_their_line),
		cmocka_unit_test(characters_are_never_cut),
		cmocka_unit_test(lines_break_between_words),
		cmocka_unit_test(narrow_lines_have_less_indent),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
