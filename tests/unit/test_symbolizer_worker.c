/* SPDX-License-Identifier: ISC */
/*
 * Worker processes: their rights, their exits and the cost of these, and
 * fairness between persons.
 */
#include <linux/sockios.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "daemon/access/charge.h"
#include "daemon/sym/slow_files.h"

#include "tests/unit/test_symbolizer.h"

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
	pid = stat_now().ss_pids[0];
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

/* Killed while idle, it costs nothing. */
static void
test_killed_idle(void **state)
{
	struct symbolizer_stat before, after;
	struct mapped_file sf;
	int fd = copy_of("static");

	(void)state;
	sf = file_open("static");
	close(sf.mf_fd);
	sf.mf_fd = fd; /* never requested */
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	assert_int_equal(kill(before.ss_pids[0], SIGKILL), 0);
	wait_state(before.ss_pids[0], "zombie");
	expect(&sf, "static", "quiet_caller", 3, "quiet_caller");
	after = stat_now();
	assert_int_equal(after.ss_starts, before.ss_starts + 1);
	assert_int_equal(after.ss_badfiles, before.ss_badfiles);
	file_close(&sf);
}

/* The file that killed it is not read again; others are. */
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

/* Our end of the worker's socket, the only one of this type. */
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

/* Waits until there is data that the worker has not read. */
static void
wait_queued(int fd)
{
	int nbytes = 0;

	while (nbytes == 0) {
		assert_int_equal(ioctl(fd, SIOCOUTQ, &nbytes), 0);
		sched_yield();
	}
}

/* Killed with a request in its queue, it counts as killed by that file. */
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
	assert_int_equal(kill(before.ss_pids[0], SIGSTOP), 0);
	wait_state(before.ss_pids[0], "stopped");
	assert_int_equal(pthread_create(&th, NULL, ask_thread, &fd), 0);
	wait_queued(worker_socket());
	assert_int_equal(kill(before.ss_pids[0], SIGKILL), 0);
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
	assert_int_equal(kill(before.ss_pids[0], SIGSTOP), 0);
	wait_state(before.ss_pids[0], "stopped");
	symbolizer_process_msecs = 200;
	assert_int_equal((long)ask_thread(&fd), EIO);
	symbolizer_process_msecs = SYMBOLIZER_PROCESS_MSECS;
	assert_int_equal(stat_now().ss_timeouts, before.ss_timeouts + 1);
	expect_lost(fd);
}

/* A file that was interrupted by a time limit is read again. */
static void
test_limit(void **state)
{
	const struct timespec ts = { 0, 1000000 };
	struct symbolizer_stat before;
	int fd = copy_of("pie");

	(void)state;
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	assert_int_equal(kill(before.ss_pids[0], SIGSTOP), 0);
	wait_state(before.ss_pids[0], "stopped");
	symbolizer_process_begin(200, 0);
	assert_int_equal((long)ask_thread(&fd), ETIMEDOUT);
	assert_int_equal((long)ask_thread(&fd), ETIMEDOUT); /* at once */
	assert_int_equal(stat_now().ss_timeouts, before.ss_timeouts + 1);
	assert_int_equal(stat_now().ss_badfiles, before.ss_badfiles);
	symbolizer_process_begin(SYMBOLIZER_PROCESS_MSECS, 0);
	assert_int_equal((long)ask_thread(&fd), 0);
	symbolizer_process_begin(0, 0);
	nanosleep(&ts, NULL);
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), ETIMEDOUT);
	symbolizer_process_begin(3600000, 0);
	close(fd);
}

/* A file that took long is not read again for another mode. */
static void
test_slow(void **state)
{
	struct symbolizer_stat before;
	int fd = copy_of("pie");

	(void)state;
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	assert_int_equal(kill(stat_now().ss_pids[0], SIGSTOP), 0);
	wait_state(stat_now().ss_pids[0], "stopped");
	symbolizer_process_msecs = SLOW_FILES_LEAST;
	assert_int_equal((long)ask_thread(&fd), EIO);
	symbolizer_process_msecs = SYMBOLIZER_PROCESS_MSECS;
	before = stat_now();
	assert_int_equal(fchmod(fd, 0700), 0);
	assert_int_equal((long)ask_thread(&fd), EIO);
	assert_int_equal(fchmod(fd, 0600), 0);
	assert_int_equal((long)ask_thread(&fd), EIO);
	assert_int_equal(stat_now().ss_starts, before.ss_starts);
	close(fd);
	expect_alive();
}

/* The tables of slow files and of their owners. */
static void
test_slow_table(void **state)
{
	struct slow_file a = { 7, 1, 100, 1000 }, b = { 7, 1, 101, 1000 };
	struct slow_file other = { 7, 2, 100, 1001 }, root = { 7, 3, 1, 0 };

	(void)state;
	slow_files_note(&a, SLOW_FILES_LEAST - 1, EIO);
	assert_int_equal(slow_files_check(&a), 0);
	slow_files_note(&a, SLOW_FILES_LEAST, 0);
	assert_int_equal(slow_files_check(&a), 0);
	assert_int_equal(slow_files_check(&b), EIO);
	slow_files_note(&b, SLOW_FILES_LEAST, EIO);
	assert_int_equal(slow_files_check(&b), EIO);
	assert_int_equal(slow_files_check(&other), 0);
	assert_int_equal(slow_files_limit(&a, 10000), 10000);
	slow_files_note(&a, SLOW_FILES_MUCH, 0);
	slow_files_note(&root, SLOW_FILES_MUCH, 0);
	assert_int_equal(slow_files_limit(&b, 10000), SLOW_FILES_MSECS);
	assert_int_equal(slow_files_limit(&b, 500), 500);
	assert_int_equal(slow_files_limit(&other, 10000), 10000);
	assert_int_equal(slow_files_limit(&root, 10000), 10000);
}

/* The daemon's exit does not wait for a worker that hangs. */
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
	kill(before.ss_pids[0], SIGSTOP);
	symbolizer_process_msecs = 3600000;
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

/* Without the program there are no symbols, and no file is blamed. */
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

/* Its parent is killed: it exits, too. */
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
		worker = stat_now().ss_pids[0];
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

/*
 * --- the channel ------------------------------------------------------------
 */

/*
 * Sends a file to the process that this thread has taken, as a helper process
 * of dtd does.  Takes the descriptor.
 */
static void
channel_send(uint64_t serial, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec iov = { &serial, sizeof(serial) };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	assert_int_equal(sendmsg(symbolizer_process_channel(), &msg,
			     MSG_DONTWAIT),
	    sizeof(serial));
	close(fd);
}

/*
 * Requests the symbol of main in "pie", which has been sent with this serial.
 */
static int
channel_ask(uint64_t serial)
{
	struct symreq rq = { .srq_type = SYMREQ_NAMES,
		.srq_npcs = 1,
		.srq_id = next_id++,
		.srq_serial = serial };
	uint64_t pc = where("pie", "main") + 1;
	struct frame_buf sb = { 0 };
	int error = symbolizer_process_request(&rq, &pc, -1, NULL, 0, &sb);

	if (error == 0)
		assert_string_equal(wire_string(sb.fb_strings,
					sb.fb_frames[0].wf_func),
		    "main");
	frame_buf_free(&sb);
	return error;
}

static unsigned int
open_fds(pid_t pid)
{
	char path[64];
	unsigned int fd, n = 0;

	for (fd = 0; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%u", (int)pid, fd);
		n += faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	}
	return n;
}

/* Files are found by serial; others are dropped, and all are closed. */
static void
test_channel(void **state)
{
	uint64_t serial, late;
	unsigned int nfds;

	(void)state;
	assert_int_equal(symbolizer_process_channel(), -1);
	assert_int_equal(symbolizer_process_take(), 0);
	serial = symbolizer_process_serial();
	channel_send(serial, copy_of("pie"));
	assert_int_equal(channel_ask(serial), 0);
	nfds = open_fds(stat_now().ss_pids[0]); /* it has started up */
	late = symbolizer_process_serial();
	serial = symbolizer_process_serial();
	channel_send(late, copy_of("static"));
	channel_send(serial, copy_of("pie"));
	assert_int_equal(channel_ask(serial), 0);
	assert_int_equal(channel_ask(symbolizer_process_serial()), EBADF);
	channel_send(late, copy_of("static"));
	assert_int_equal(channel_ask(symbolizer_process_serial()), EBADF);
	serial = symbolizer_process_serial();
	channel_send(serial, copy_of("pie"));
	assert_int_equal(channel_ask(serial), 0);
	if (geteuid() == 0)
		assert_int_equal(open_fds(stat_now().ss_pids[0]), nfds);
	symbolizer_process_give();
	assert_int_equal(symbolizer_process_channel(), -1);
}

/* The channel returns nothing, and hostile data does not kill the process. */
static void
test_channel_oneway(void **state)
{
	char c;

	(void)state;
	assert_int_equal(symbolizer_process_take(), 0);
	assert_int_equal(recv(symbolizer_process_channel(), &c, 1,
			     MSG_DONTWAIT),
	    0);
	symbolizer_process_give();
	expect_alive();
}

/*
 * --- persons ----------------------------------------------------------------
 */

struct asker {
	uid_t ak_person;
	int ak_fd;
	pthread_t ak_thread;
};

static void *
asker_run(void *arg)
{
	struct asker *ak = arg;

	symbolizer_process_begin(3600000, ak->ak_person);
	return ask_thread(&ak->ak_fd);
}

static void
asker_start(struct asker *ak, uid_t person)
{
	*ak = (struct asker){ .ak_person = person, .ak_fd = copy_of("pie") };
	assert_int_equal(pthread_create(&ak->ak_thread, NULL, asker_run, ak),
	    0);
}

static int
asker_join(struct asker *ak)
{
	void *error;

	assert_int_equal(pthread_join(ak->ak_thread, &error), 0);
	close(ak->ak_fd);
	return (long)error;
}

/* Resolves an address for a person, in another thread. */
static int
ask_as(uid_t person)
{
	struct asker ak;

	asker_start(&ak, person);
	return asker_join(&ak);
}

/* Makes a request of a person hang; returns the process that serves it. */
static pid_t
hang_one(struct asker *ak, uid_t person)
{
	unsigned int nbusy = stat_now().ss_nbusy;
	pid_t pid;

	assert_int_equal(ask_as(person), 0);
	pid = stat_now().ss_pids[0];
	assert_int_equal(kill(pid, SIGSTOP), 0);
	wait_state(pid, "stopped");
	asker_start(ak, person);
	while (stat_now().ss_nbusy != nbusy + 1)
		sched_yield();
	return pid;
}

/* Starts a request that must wait. */
static void
asker_wait(struct asker *ak, uid_t person)
{
	uint64_t asked = stat_now().ss_asked;

	asker_start(ak, person);
	while (stat_now().ss_asked == asked)
		sched_yield();
}

/*
 * A person whose requests hang has two processes, and further requests of that
 * person wait; other persons get symbols at once.
 */
static void
test_persons(void **state)
{
	struct asker slow[4];
	uint64_t starts;
	pid_t pids[2];
	unsigned int i;

	(void)state;
	forget();
	symbolizer_process_msecs = 3600000;
	for (i = 0; i < 2; i++)
		pids[i] = hang_one(&slow[i], 1);
	assert_int_not_equal(pids[0], pids[1]);
	asker_wait(&slow[2], 1);
	asker_wait(&slow[3], 1);
	starts = stat_now().ss_starts;
	for (i = 0; i < 20; i++)
		assert_int_equal(ask_as(2), 0);
	assert_int_equal(ask_as(0), 0);
	assert_int_equal(stat_now().ss_starts, starts + 2);
	assert_int_equal(stat_now().ss_nbusy, 2);
	for (i = 0; i < 2; i++)
		assert_int_equal(kill(pids[i], SIGCONT), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(asker_join(&slow[i]), 0);
	symbolizer_process_msecs = SYMBOLIZER_PROCESS_MSECS;
}

/* However many persons hang, one process is root's. */
static void
test_root(void **state)
{
	struct asker slow[SYMBOLIZER_POOL_MAX];
	pid_t pids[SYMBOLIZER_POOL_MAX];
	unsigned int i, n = SYMBOLIZER_POOL_MAX - SYMBOLIZER_POOL_ROOT;

	(void)state;
	forget();
	symbolizer_process_msecs = 3600000;
	for (i = 0; i < n; i++)
		pids[i] = hang_one(&slow[i], 10 + i);
	asker_wait(&slow[n], 9);
	assert_int_equal(ask_as(0), 0);
	assert_int_equal(stat_now().ss_nbusy, n);
	for (i = 0; i < n; i++)
		assert_int_equal(kill(pids[i], SIGCONT), 0);
	for (i = 0; i <= n; i++)
		assert_int_equal(asker_join(&slow[i]), 0);
	symbolizer_process_msecs = SYMBOLIZER_PROCESS_MSECS;
}

/* CPU time of a process is charged to the person it worked for. */
static void
test_charged(void **state)
{
	(void)state;
	forget();
	charge_reset();
	assert_int_equal(ask_as(77), 0);
	charge_period(1000000000);
	assert_int_not_equal(charge_of(77), 0);
	assert_int_equal(charge_of(78), 0);
}

/*
 * --- a process that does not exit -------------------------------------------
 */

/* Traces a process, so that it stops while it exits until *end is closed. */
static pid_t
hold_exit(pid_t pid, int *end)
{
	int go[2], ready[2];
	pid_t tracer;
	char c;

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(ready), 0);
	if ((tracer = fork()) == 0) {
		close(go[1]);
		if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXIT) == -1)
			_exit(1);
		(void)!write(ready[1], "", 1);
		(void)!read(go[0], &c, 1);
		_exit(0);
	}
	close(go[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	*end = go[1];
	return tracer;
}

static void
test_hung(void **state)
{
	struct symbolizer_stat before;
	int end, fd = copy_of("pie"), status;
	pid_t tracer, pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	forget();
	assert_int_equal((long)ask_thread(&(int){ copy_of("pie") }), 0);
	before = stat_now();
	pid = before.ss_pids[0];
	assert_int_equal(kill(pid, SIGSTOP), 0);
	wait_state(pid, "stopped");
	tracer = hold_exit(pid, &end);
	symbolizer_process_msecs = 200;
	assert_int_equal((long)ask_thread(&fd), EIO);
	symbolizer_process_msecs = SYMBOLIZER_PROCESS_MSECS;
	expect_lost(fd); /* another process serves the next request */
	while (stat_now().ss_hung == 0)
		sched_yield();
	assert_int_equal(stat_now().ss_hung, 1);
	assert_int_equal(kill(pid, 0), 0);
	close(end);
	assert_int_equal(waitpid(tracer, &status, 0), tracer);
	assert_int_equal(status, 0);
	while (stat_now().ss_hung != 0)
		sched_yield();
}

/* Files of one owner can block only a few processes. */
static void
test_hung_owner(void **state)
{
	int ends[SYMBOLIZER_POOL_OWNERGONE];
	unsigned int i, n = SYMBOLIZER_POOL_OWNERGONE;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	forget();
	symbolizer_process_file(500, 100);
	for (i = 0; i < n; i++) {
		assert_int_equal(symbolizer_process_take(), 0);
		pid = stat_now().ss_pids[0];
		assert_int_equal(kill(pid, SIGSTOP), 0);
		wait_state(pid, "stopped");
		(void)hold_exit(pid, &ends[i]);
		assert_int_not_equal(channel_ask(symbolizer_process_serial()),
		    0);
		symbolizer_process_give();
	}
	while (stat_now().ss_hung != n)
		sched_yield();
	assert_int_equal(symbolizer_process_take(), ECHILD);
	symbolizer_process_file(501, 0);
	assert_int_equal(symbolizer_process_take(), 0);
	symbolizer_process_give();
	for (i = 0; i < n; i++)
		close(ends[i]);
	while (stat_now().ss_hung != 0)
		sched_yield();
	symbolizer_process_file(500, 0);
	assert_int_equal(symbolizer_process_take(), 0);
	symbolizer_process_give();
	symbolizer_process_file(-1, 0);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
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
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_slow_table),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_ends_with_dtd),
		cmocka_unit_test(test_channel),
		cmocka_unit_test(test_channel_oneway),
		cmocka_unit_test(test_persons),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_charged),
		cmocka_unit_test(test_hung),
		cmocka_unit_test(test_hung_owner),
	};

	if (getenv("UNIT_RUN") != NULL)
		return 0; /* an emulator cannot execute its own kind */
	find_build();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
