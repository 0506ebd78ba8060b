/* SPDX-License-Identifier: ISC */
/*
 * The person to whom a user id counts for limits: valid and invalid files of
 * ranges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/access/person.h"

#define NONE ((uid_t)-1)

static char path[] = "/tmp/test_person.XXXXXX";

static int
read_bytes(const char *text, size_t n)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, text, n), n);
	close(fd);
	return person_read(path);
}

static int
read_ranges(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void
test_ranges(void **state)
{
	(void)state;
	assert_int_equal(read_ranges("1000:100000:65536\n# nobody\n\n"
				     "daemon:165536:65536\n"
				     "1001:300000:1"),
	    0);
	assert_int_equal(person_of(99999), 99999);
	assert_int_equal(person_of(100000), 1000);
	assert_int_equal(person_of(165535), 1000);
	assert_int_equal(person_of(165536), 1); /* by name */
	assert_int_equal(person_of(231072), 231072);
	assert_int_equal(person_of(300000), 1001);
	assert_int_equal(person_of(300001), 300001);
	assert_int_equal(person_of(1000), 1000);
	assert_int_equal(person_of(0), 0);
}

/* Ranges of root do not exempt their user ids from limits. */
static void
test_root(void **state)
{
	(void)state;
	assert_int_equal(read_ranges("root:1000:1\n0:100000:65536\n"
				     "1000:0:10\n"),
	    0);
	assert_int_equal(person_of(1000), 1000);
	assert_int_equal(person_of(123456), 100000);
	assert_int_equal(person_of(0), 0);
	assert_int_equal(person_of(9), 1000);
}

static void
test_bad(void **state)
{
	static const char nul[] = "1000:100\0000:10\n1000:200000:10\n";

	(void)state;
	assert_int_equal(read_ranges("1000:100000\n" /* not a number */
				     "1000\n"
				     ":\n"
				     "1000:-1:10\n"
				     "1000:0x10:10\n"
				     "1000:4294967296:10\n"
				     "1000:100000:99999999999999999999999\n"
				     "1000:100000:10:10\n"
				     "1000: 100000:10\n"),
	    9);
	assert_int_equal(person_of(100000), 100000);
	/* unknown users and empty ranges are skipped */
	assert_int_equal(read_ranges("no such user:100000:10\n"
				     ":100000:10\n"
				     "-1:100000:10\n"
				     "1000:100000:0\n"),
	    0);
	assert_int_equal(person_of(100000), 100000);
	/* a byte 0 ends the text */
	assert_int_equal(read_bytes(nul, sizeof(nul) - 1), 1);
	assert_int_equal(person_of(200000), 200000);
	/* a range that ends beyond all user ids */
	assert_int_equal(read_ranges("1000:4294967290:4294967295\n"), 0);
	assert_int_equal(person_of(4294967294), 1000);
	assert_int_equal(person_of(5), 5);
	assert_int_equal(person_of(0), 0);
}

/* An unreadable file changes nothing; a missing file has no ranges. */
static void
test_files(void **state)
{
	char fifo[64];

	(void)state;
	assert_int_equal(read_ranges("1000:100000:10\n"), 0);
	assert_int_equal(person_read("/tmp"), -1);
	assert_int_equal(person_of(100000), 1000);
	strcpy(fifo, path);
	strcat(fifo, "f");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(person_read(fifo), -1);
	unlink(fifo);
	assert_int_equal(truncate(path, 1LL << 40), 0);
	assert_int_equal(person_read(path), -1);
	assert_int_equal(person_of(100000), 1000);
	assert_int_equal(person_read("/tmp/no such file"), 0);
	assert_int_equal(person_of(100000), 100000);
	assert_int_equal(read_ranges(""), 0);
}

/* More lines than fit into memory. */
static void
test_many(void **state)
{
	size_t i, n = 70000, len = strlen("1:100000:1\n");
	char *text = malloc(n * len + 1);

	(void)state;
	for (i = 0; i < n; i++)
		memcpy(text + i * len, "1:100000:1\n", len);
	assert_int_equal(read_bytes(text, n * len), n - 65536);
	assert_int_equal(person_of(100000), 1);
	free(text);
}

static void
test_owner(void **state)
{
	(void)state;
	assert_int_equal(read_ranges("1000:100000:65536\n0:300000:65536\n"), 0);
	/* not in a foreign namespace */
	assert_int_equal(person_of_owner(1002, NONE), 1002);
	assert_int_equal(person_of_owner(100001, NONE), 1000);
	/* in one that a user has created, by a subordinate user id, too */
	assert_int_equal(person_of_owner(70000, 1001), 1001);
	assert_int_equal(person_of_owner(1001, 1001), 1001);
	assert_int_equal(person_of_owner(70000, 100001), 1000);
	/* in one that root has created for a container */
	assert_int_equal(person_of_owner(0, 0), 0);
	assert_int_equal(person_of_owner(1001, 0), 1001);
	assert_int_equal(person_of_owner(100001, 0), 1000);
	assert_int_equal(person_of_owner(300007, 0), 300000);
	assert_int_equal(person_of_owner(600001, 0), 589824);
	assert_int_equal(person_of_owner(65537, 0), 65536);
	/* the overflow uid: a number that dtd's namespace does not have */
	assert_int_equal(person_of_owner(65534, 65534), 65534);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_owner),
	};
	int failed, fd = mkstemp(path);

	if (fd == -1)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
