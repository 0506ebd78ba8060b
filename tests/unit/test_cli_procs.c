/* SPDX-License-Identifier: ISC */
/*
 * Descriptors and directories of processes, as calls change them, and of this
 * process, according to /proc.
 */
#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/test_cli.h"

#include "cli/procs/procs.h"

static struct procs *pr;
static char told[256];

static int
setup(void **state)
{
	(void)state;
	pr = procs_alloc();
	*told = '\0';
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	procs_free(pr);
	return 0;
}

#define assert_fd(pid, fd, want) \
	do { \
		const char *is = procs_fd(pr, pid, fd); \
		assert_non_null(is); \
		assert_string_equal(is, want); \
	} while (0)
#define assert_nofd(pid, fd) assert_null(procs_fd(pr, pid, fd))

static void
calls_change_descriptors(void **state)
{
	(void)state;
	assert_nofd(1, 3);
	procs_open(pr, 1, 3, "/a", NULL, PROCS_KEPT);
	procs_open(pr, 1, -1, "/b", NULL, PROCS_KEPT);
	assert_fd(1, 3, "/a");
	assert_nofd(1, -1);
	assert_nofd(2, 3);
	procs_dup(pr, 1, 3, 1000000, PROCS_KEPT);
	procs_dup(pr, 1, 3, 3, PROCS_KEPT);
	procs_close(pr, 1, 3, 3);
	assert_nofd(1, 3);
	assert_fd(1, 1000000, "/a");
	procs_open(pr, 1, 3, "/b", NULL, PROCS_KEPT);
	assert_fd(1, 3, "/b");
	procs_event(pr, 1);
	procs_open(pr, 1, 3, NULL, NULL, PROCS_KEPT); /* for another file */
	assert_nofd(1, 3);
	procs_dup(pr, 1, 4, 1000000, PROCS_KEPT); /* for an unknown one */
	assert_nofd(1, 1000000);
	procs_chdir(pr, 1, "/home");
	assert_fd(1, PROCS_CWD, "/home");
	procs_event(pr, 2);
	procs_chdir(pr, 1, NULL);
	assert_nofd(1, PROCS_CWD);
	procs_exit(pr, 1);
	procs_exit(pr, 1);
}

static void
what_a_recording_tells_is_kept(void **state)
{
	(void)state;
	procs_set(pr, 1, 3, "/old");
	procs_event(pr, 1);
	procs_set(pr, 1, 3, "socket:[5]"); /* of the current event */
	procs_open(pr, 1, 3, NULL, "socket:[", PROCS_KEPT);
	assert_fd(1, 3, "socket:[5]");
	procs_event(pr, 2);
	procs_open(pr, 1, 3, NULL, "socket:[", PROCS_KEPT);
	assert_nofd(1, 3);
	procs_set(pr, 1, -5, "/x");
	procs_set(pr, 1, PROCS_CWD, "/y");
	assert_fd(1, PROCS_CWD, "/y");
	assert_nofd(1, -5);
}

static void
ranges_and_exec_close(void **state)
{
	int fd;

	(void)state;
	for (fd = 0; fd < 200; fd++)
		procs_open(pr, 1, fd, "/a", NULL,
		    fd % 3 == 0	      ? PROCS_KEPT
			: fd % 3 == 1 ? PROCS_CLOSED
				      : PROCS_UNSURE);
	procs_close(pr, 1, 100, UINT32_MAX);
	for (fd = 0; fd < 200; fd++)
		assert_int_equal(procs_fd(pr, 1, fd) != NULL, fd < 100);
	procs_onexec(pr, 1, 30, 39, PROCS_KEPT);
	procs_exec(pr, 1);
	for (fd = 0; fd < 100; fd++)
		assert_int_equal(procs_fd(pr, 1, fd) != NULL,
		    fd % 3 == 0 || fd == 2 || (fd >= 30 && fd < 40));
}

/* Deletions leave each descriptor that collides with others where it is found. */
static void
any_order_of_changes_is_followed(void **state)
{
	static char isopen[64];
	unsigned int i, fd, x = 1;

	(void)state;
	for (i = 0; i < 20000; i++) {
		x = x * 1664525 + 1013904223;
		fd = x >> 26;
		if (isopen[fd])
			procs_close(pr, 1, fd * 4096, fd * 4096);
		else
			procs_open(pr, 1, fd * 4096, "/a", NULL, PROCS_KEPT);
		isopen[fd] = !isopen[fd];
		fd = x >> 20 & 63;
		assert_int_equal(procs_fd(pr, 1, fd * 4096) != NULL,
		    isopen[fd]);
	}
}

static void
children_have_copies_or_share(void **state)
{
	(void)state;
	procs_open(pr, 1, 3, "/a", NULL, PROCS_KEPT);
	procs_chdir(pr, 1, "/home");
	procs_fork(pr, 1, 2, 1, 0, 1);
	procs_fork(pr, 1, 3, 0, 1, 0);
	procs_fork(pr, 1, 2, 0, 0, 1); /* the other return of the first */
	assert_fd(2, 3, "/a");
	procs_close(pr, 3, 3, 3); /* shared */
	assert_nofd(1, 3);
	assert_fd(2, 3, "/a");
	procs_chdir(pr, 2, "/usr"); /* shared */
	assert_fd(1, PROCS_CWD, "/usr");
	assert_fd(3, PROCS_CWD, "/home");
	procs_open(pr, 1, 4, "/b", NULL, PROCS_CLOSED);
	procs_exec(pr, 3); /* not shared from now on */
	assert_nofd(3, 4);
	assert_fd(1, 4, "/b");
	procs_exit(pr, 1);
	assert_fd(2, PROCS_CWD, "/usr");
	procs_fork(pr, 2, 3, 1, 0, 0); /* the number was used before */
	assert_fd(3, 3, "/a");
	procs_fork(pr, 99, 2, 1, 0, 0); /* of an unknown process */
	assert_nofd(2, 3);
	procs_fork(pr, 3, 3, 1, 0, 0);
	assert_fd(3, 3, "/a");
}

static void
count(void *arg, uint32_t pid, int fd, const char *path)
{
	(void)pid;
	(void)fd;
	(void)path;
	++*(unsigned int *)arg;
}

static void
memory_is_bounded(void **state)
{
	char path[4096];
	unsigned int i, n = 0;

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	for (i = 0; i < 100000; i++) {
		snprintf(path, 16, "/%u", i);
		path[strlen(path)] = 'x';
		procs_open(pr, i % 10, i, path, NULL, PROCS_KEPT);
	}
	procs_each(pr, count, &n);
	assert_in_range(n, 100, (32 << 20) / 4096);
	for (i = 0; i < 100000; i++)
		procs_open(pr, 1, i, path, NULL, PROCS_KEPT); /* one process */
	n = 0;
	procs_each(pr, count, &n);
	assert_in_range(n, 100, (32 << 20) / 4096 + 1);
	for (i = 0; i < 100000; i++)
		procs_open(pr, i, 3, "/a", NULL, PROCS_KEPT);
	n = 0;
	procs_each(pr, count, &n);
	assert_int_equal(n, 4096);
	assert_nofd(1, 3);
	assert_fd(99999, 3, "/a");
}

static void
tell(void *arg, uint32_t pid, int fd, const char *path)
{
	(void)arg;
	assert_int_equal(pid, getpid());
	if (fd == *(int *)arg)
		snprintf(told, sizeof(told), "%s", path);
}

/* The queried process is this one. */
static void
proc_is_asked_for_what_is_not_known(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	uint32_t pid = getpid();

	(void)state;
	procs_watch(pr, tell, &fd);
	procs_event(pr, 1000000000);
	assert_nofd(pid, fd);
	procs_live(pr, 0);
	assert_fd(pid, fd, "/dev/null");
	assert_string_equal(told, "/dev/null");
	*told = '\0';
	assert_int_equal(dup2(open("/dev/zero", O_RDONLY), fd), fd);
	procs_event(pr, 1001000000);
	assert_fd(pid, fd, "/dev/null"); /* was read a moment ago */
	procs_event(pr, 1020000000);
	assert_fd(pid, fd, "/dev/zero");
	assert_string_equal(told, "/dev/zero");
	close(fd);
	procs_event(pr, 1040000000);
	assert_fd(pid, fd, "/dev/zero"); /* was open then */
	procs_open(pr, pid, fd, NULL, NULL, PROCS_KEPT);
	assert_nofd(pid, fd);
	assert_nofd(4194305, 0); /* not a valid process number */
	procs_set(pr, 4194305, 0, "/of another");
	procs_event(pr, 1050000000);
	assert_fd(4194305, 0, "/of another");
	procs_event(pr, 3000000000); /* it may have changed */
	assert_nofd(4194305, 0);
}

static void
what_is_followed_is_believed(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int kept = open("/dev/null", O_RDONLY);
	uint32_t pid = getpid();

	(void)state;
	procs_event(pr, 1000000000);
	procs_live(pr, PROCS_TRUSTFILES);
	procs_scan(pr, pid, 1);
	assert_fd(pid, fd, "/dev/null");
	procs_close(pr, pid, fd, fd);
	procs_event(pr, 9000000000);
	assert_nofd(pid, fd); /* it is open, but was not then */
	procs_open(pr, pid, fd, NULL, "socket:[", PROCS_KEPT);
	assert_nofd(pid, fd); /* it has changed */
	procs_open(pr, pid, fd, NULL, "/dev/", PROCS_CLOSED);
	assert_fd(pid, fd, "/dev/null");
	procs_exec(pr, pid);
	assert_nofd(pid, fd);
	assert_fd(pid, kept, "/dev/null");
	procs_unsure(pr, pid);
	assert_fd(pid, fd, "/dev/null");
	close(fd);
	close(kept);
}

/*
 * Descriptors that the exec of a waiting command closes are neither known nor
 * reported to the watcher.
 */
static void
a_command_has_what_its_exec_keeps(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int kept = open("/dev/zero", O_RDONLY);
	uint32_t pid = getpid();

	(void)state;
	procs_event(pr, 1000000000);
	procs_live(pr, PROCS_TRUSTFILES | PROCS_TRUSTOPEN | PROCS_TRUSTDIRS);
	*told = '\0';
	procs_watch(pr, tell, &fd);
	procs_scan_command(pr, pid);
	assert_string_equal(told, "");
	assert_fd(pid, kept, "/dev/zero");
	assert_nofd(pid, fd);
	close(fd);
	close(kept);
}

/*
 * Where opening and closing are followed but not all calls, a path named by a
 * call is valid for longer than one of /proc.
 */
static void
what_a_call_has_named_is_true_for_longer(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	uint32_t pid = getpid();

	(void)state;
	procs_event(pr, 1000000000);
	procs_live(pr, PROCS_TRUSTOPEN);
	procs_open(pr, pid, fd, "/a", NULL, PROCS_KEPT);
	procs_event(pr, 1900000000);
	assert_fd(pid, fd, "/a");
	procs_event(pr, 2100000000);
	assert_fd(pid, fd, "/dev/null");
	procs_live(pr, PROCS_TRUSTDIRS);
	procs_chdir(pr, pid, "/a");
	procs_open(pr, pid, fd, "/b", NULL, PROCS_KEPT);
	procs_event(pr, 2200000000);
	assert_fd(pid, PROCS_CWD, "/a");
	assert_fd(pid, fd, "/dev/null");
	close(fd);
}

/* More reads than the limit per second. */
static void
questions_are_bounded(void **state)
{
	uint32_t pid = getpid();
	int fd, n = 0, null = open("/dev/null", O_RDONLY);

	(void)state;
	procs_event(pr, 5000000000);
	procs_live(pr, 0);
	for (fd = 100000; fd < 130000; fd++)
		procs_fd(pr, pid, fd);
	assert_nofd(pid, null);
	procs_event(pr, 6000000001);
	assert_fd(pid, null, "/dev/null");
	procs_each(pr, count, &n);
	assert_int_equal(n, 1);
	close(null);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(calls_change_descriptors),
		T(what_a_recording_tells_is_kept),
		T(ranges_and_exec_close),
		T(any_order_of_changes_is_followed),
		T(children_have_copies_or_share),
		T(memory_is_bounded),
		T(proc_is_asked_for_what_is_not_known),
		T(what_is_followed_is_believed),
		T(a_command_has_what_its_exec_keeps),
		T(what_a_call_has_named_is_true_for_longer),
		T(questions_are_bounded),
	};

	return cmocka_run_group_tests_name("test_cli_procs", tests, NULL, NULL);
}
