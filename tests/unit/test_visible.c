/* SPDX-License-Identifier: ISC */
/* visible_copy() escapes and cuts text; err(3) and its family use it. */
#include <err.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/errmsg.h"
#include "common/visible.h"

static void
test_escapes(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "", "" },
		{ "plain \\x41 \"text\"", "plain \\x41 \"text\"" },
		{ "\x1b[31m\a\r\n\t\x7f",
		    "\\x1b[31m\\x07\\x0d\\x0a\\x09\\x7f" },
		{ "caf\xc3\xa9 \xe2\x82\xac", "caf\xc3\xa9 \xe2\x82\xac" },
		{ "\xc2\x9b"
		  "1m",
		    "\\xc2\\x9b1m" },
		{ "\x9b"
		  "1m\xff",
		    "\\x9b1m\\xff" },
		{ "a\xe2\x80\xae"
		  "b",
		    "a\\xe2\\x80\\xaeb" },
		{ "\xe2\x82", "\\xe2\\x82" },
		{ "\xc0\x9b\xed\xa0\x80", "\\xc0\\x9b\\xed\\xa0\\x80" },
	};
	char out[100];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		visible_copy(out, sizeof(out), rows[i].in);
		assert_string_equal(out, rows[i].out);
	}
}

static void
test_cut(void **state)
{
	/* the part of the text that fits into size bytes */
	static const struct {
		size_t size;
		const char *out;
	} rows[] = {
		{ 1, "" },
		{ 2, "a" },
		{ 9, "a" },
		{ 10, "a\\xc2\\x9b" },
		{ 11, "a\\xc2\\x9b" },
		{ 12, "a\\xc2\\x9b\xc3\xa9" },
	};
	char out[20];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(out, '#', sizeof(out));
		visible_copy(out, rows[i].size, "a\xc2\x9b\xc3\xa9");
		assert_string_equal(out, rows[i].out);
		assert_int_equal(out[rows[i].size], '#');
	}
}

/* Returns the text that a child writes to its standard error. */
static void
said_by(void (*fn)(void), char *buf, size_t size, int *status)
{
	size_t n = 0;
	ssize_t r;
	pid_t pid;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	if ((pid = fork()) == 0) {
		dup2(fd[1], STDERR_FILENO);
		fn();
		_exit(0);
	}
	close(fd[1]);
	while ((r = read(fd[0], buf + n, size - 1 - n)) > 0)
		n += r;
	buf[n] = '\0';
	close(fd[0]);
	assert_int_equal(waitpid(pid, status, 0), pid);
}

static void
say_all(void)
{
	program_invocation_short_name = "a\x1b";
	errno = ENOENT;
	warn("%s", "x\n");
	warnx("%s", "x\x1b");
	warn(NULL);
	errmsg("x: %s", "\xff");
	err(3, "%s", "y\x9b");
}

static void
test_messages(void **state)
{
	char said[500];
	int status;

	(void)state;
	said_by(say_all, said, sizeof(said), &status);
	assert_string_equal(said,
	    "a\\x1b: x\\x0a: No such file or directory\n"
	    "a\\x1b: x\\x1b\n"
	    "a\\x1b: No such file or directory\n"
	    "x: \\xff\n"
	    "a\\x1b: y\\x9b: No such file or directory\n");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
}

static void
say_much(void)
{
	char text[20000];

	memset(text, 0x1b, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	errx(2, "%s", text);
}

static void
test_long(void **state)
{
	static char said[40000];
	int status;

	(void)state;
	said_by(say_much, said, sizeof(said), &status);
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_true(strlen(said) > 6000);
	assert_int_equal(said[strlen(said) - 1], '\n');
	assert_null(strchr(said, 0x1b));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
