/* SPDX-License-Identifier: ISC */
/* The worker process: its rights, its end, and what that costs. */
#include <linux/sockios.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "test_symbolizer.h"

static void
status_line(pid_t pid, const char *key, char *value, size_t size)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	assert_non_null(f);
	*value = '\0';
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			snprintf(value, size, "%s", line + strlen(key));
	fclose(f);
}

#define expect_status(pid, key, want) \
	do { \
		char value_[256]; \
		status_line(pid, key, value_, sizeof(value_)); \
		assert_string_equal(value_, want); \
	} while (0)

static void
test_no_rights(void **state)
{
	pid_t pid;

	(void)state;
	expect_alive();
	pid = stat_now().ss_pid;
	expect_status(pid, "CapEff:", "\t0000000000000000\n");
	expect_status(pid, "CapPrm:", "\t0000000000000000\n");
	expect_status(pid, "CapInh:", "\t0000000000000000\n");
	expect_status(pid, "NoNewPrivs:", "\t1\n");
	if (geteuid() == 0) {
		expect_status(pid, "CapBnd:", "\t0000000000000000\n");
		expect_status(pid, "Uid:", "\t65534\t65534\t65534\t65534\n");
		expect_status(pid, "Gid:", "\t65534\t65534\t65534\t65534\n");
		expect_status(pid, "Groups:", "\t \n");
	}
#if !defined(__SANITIZE_ADDRESS__)
	expect_status(pid, "Seccomp:", "\t2\n");
#endif
}

static void
wait_state(pid_t pid, const char *state)
{
	char value[256];

	do
		status_line(pid, "State:", value, sizeof(value));
	while (strstr(value, state) == NULL);
}

/* Killed while it does nothing, it costs nothing. */
static void
test_killed_idle(void **state)
{
	struct symbolizer_stat before, after;
	struct symfile sf;
	int fd = copy_of("static");

	(void)state;
	sf = file_open("static");
	close(sf.sf_fd);
	sf.sf_fd = fd; /* nobody has asked for this one */
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	assert_int_equal(kill(before.ss_pid, SIGKILL), 0);
	wait_state(before.ss_pid, "zombie");
	expect(&sf, "static", "quiet_caller", 3, "quiet_caller");
	after = stat_now();
	assert_int_equal(after.ss_starts, before.ss_starts + 1);
	assert_int_equal(after.ss_badfiles, before.ss_badfiles);
	file_close(&sf);
}

/* The file that it died over is not asked again; others are. */
static void
expect_lost(int fd)
{
	struct symbolizer_stat before = stat_now();
	void *error;

	error = ask_thread(&fd);
	assert_int_equal((long)error, EIO);
	assert_int_equal(stat_now().ss_starts, before.ss_starts);
	close(fd);
	fd = copy_of("pie");
	assert_int_equal((long)ask_thread(&fd), 0);
	close(fd);
}

/* Our end of the worker's socket: no other is of this type. */
static int
worker_socket(void)
{
	int fd, type;
	socklen_t len;

	for (fd = 0; fd < 1024; fd++) {
		len = sizeof(type);
		if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
		    type == SOCK_SEQPACKET)
			return fd;
	}
	fail_msg("no socket");
	return -1;
}

/* Until there is something that the worker has not read. */
static void
wait_queued(int fd)
{
	int nbytes = 0;

	while (nbytes == 0) {
		assert_int_equal(ioctl(fd, SIOCOUTQ, &nbytes), 0);
		sched_yield();
	}
}

/* Killed with a request in its queue, it died over that. */
static void
test_killed_busy(void **state)
{
	struct symbolizer_stat before;
	int fd = copy_of("pie");
	void *error;
	pthread_t th;

	(void)state;
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	assert_int_equal(kill(before.ss_pid, SIGSTOP), 0);
	wait_state(before.ss_pid, "stopped");
	assert_int_equal(pthread_create(&th, NULL, ask_thread, &fd), 0);
	wait_queued(worker_socket());
	assert_int_equal(kill(before.ss_pid, SIGKILL), 0);
	assert_int_equal(pthread_join(th, &error), 0);
	assert_int_equal((long)error, EIO);
	assert_int_equal(stat_now().ss_deaths, before.ss_deaths + 1);
	expect_lost(fd);
}

static void
test_time_out(void **state)
{
	struct symbolizer_stat before;
	int fd = copy_of("pie");

	(void)state;
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	assert_int_equal(kill(before.ss_pid, SIGSTOP), 0);
	wait_state(before.ss_pid, "stopped");
	symworker_msecs = 200;
	assert_int_equal((long)ask_thread(&fd), EIO);
	symworker_msecs = SYMWORKER_MSECS;
	assert_int_equal(stat_now().ss_timeouts, before.ss_timeouts + 1);
	expect_lost(fd);
}

/* A file that had only a part of its time is asked again. */
static void
test_limit(void **state)
{
	const struct timespec ts = { 0, 1000000 };
	struct symbolizer_stat before;
	int fd = copy_of("pie");

	(void)state;
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	assert_int_equal(kill(before.ss_pid, SIGSTOP), 0);
	wait_state(before.ss_pid, "stopped");
	symworker_limit(200);
	assert_int_equal((long)ask_thread(&fd), ETIMEDOUT);
	assert_int_equal((long)ask_thread(&fd), ETIMEDOUT); /* at once */
	assert_int_equal(stat_now().ss_timeouts, before.ss_timeouts + 1);
	assert_int_equal(stat_now().ss_badfiles, before.ss_badfiles);
	symworker_limit(SYMWORKER_MSECS);
	assert_int_equal((long)ask_thread(&fd), 0);
	symworker_limit(0);
	nanosleep(&ts, NULL);
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), ETIMEDOUT);
	symworker_limit(3600000);
	close(fd);
}

/* Nobody waits for a worker that hangs when the daemon ends. */
static void
ended_child(void)
{
	struct symbolizer_stat before;
	int fd = copy_of("pie"), other = copy_of("pie");
	pthread_t th;
	void *error;

	alarm(60);
	if (ask_thread(&(int){ copy_of("pie") }) != NULL)
		_exit(2);
	before = stat_now();
	kill(before.ss_pid, SIGSTOP);
	symworker_msecs = 3600000;
	if (pthread_create(&th, NULL, ask_thread, &fd) != 0)
		_exit(3);
	while (stat_now().ss_asked == before.ss_asked)
		sched_yield();
	symbolizer_end();
	if (pthread_join(th, &error) != 0 || error == NULL)
		_exit(4);
	_exit((long)ask_thread(&other) != ECHILD);
}

static void
test_ended(void **state)
{
	int status;
	pid_t child;

	(void)state;
	forget();
	if ((child = fork()) == 0)
		ended_child();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Without the program there are no names, and no file is to blame. */
static void
test_no_program(void **state)
{
	char *worker = strdup(getenv("DT_SYMBOLIZER"));
	uint64_t bad = stat_now().ss_badfiles;
	int fd = copy_of("pie");

	(void)state;
	forget();
	setenv("DT_SYMBOLIZER", "/nonexistent", 1);
	assert_int_equal((long)ask_thread(&fd), ECHILD);
	assert_int_equal(stat_now().ss_badfiles, bad);
	setenv("DT_SYMBOLIZER", worker, 1);
	assert_int_equal((long)ask_thread(&fd), 0);
	free(worker);
	close(fd);
}

/* Who started it is killed: it ends, too. */
static void
test_ends_with_dtd(void **state)
{
	struct pollfd p = { .events = POLLIN };
	int pair[2], status, fd;
	pid_t child, worker;

	(void)state;
	forget();
	assert_int_equal(pipe(pair), 0);
	fd = copy_of("pie");
	if ((child = fork()) == 0) {
		alarm(60);
		(void)ask_thread(&fd);
		worker = stat_now().ss_pid;
		(void)!write(pair[1], &worker, sizeof(worker));
		pause();
		_exit(0);
	}
	assert_int_equal(read(pair[0], &worker, sizeof(worker)),
	    sizeof(worker));
	p.fd = syscall(SYS_pidfd_open, worker, 0);
	assert_int_not_equal(p.fd, -1);
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(poll(&p, 1, 20000), 1);
	close(fd);
	close(p.fd);
	close(pair[0]);
	close(pair[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_rights),
		cmocka_unit_test(test_killed_idle),
		cmocka_unit_test(test_killed_busy),
		cmocka_unit_test(test_time_out),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_ends_with_dtd),
	};

	if (getenv("UNIT_RUN") != NULL)
		return 0; /* an emulator runs no other program of its kind */
	find_build();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
