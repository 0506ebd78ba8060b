/* SPDX-License-Identifier: ISC */
/*
 * The monitor's own side: its handling of hostile bytes, and its confinement.
 * It runs in a child, confined as in dtd, except that without root there is no
 * capability to keep.
 */
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/bpf.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/perf/monitor.h"

#define NOFILTER 77 /* status of a child that could not be confined */
#define NRANDOM	 20000

struct child {
	pid_t pid;
	int sock;
};

/* Runs fn in a confined child; returns 0 where filters are unavailable. */
static int
child_start(struct child *ch, void (*fn)(int sock))
{
	struct monitor_result mr;
	int sv[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sv), 0);
	ch->pid = fork();
	assert_int_not_equal(ch->pid, -1);
	if (ch->pid == 0) {
		if (monitor_confine(sv[1]) != 0)
			_exit(NOFILTER);
		fn(sv[1]);
		syscall(SYS_exit_group, 0);
	}
	close(sv[1]);
	ch->sock = sv[0];
	if (fn != monitor_serve)
		return 1;
	if (recv(ch->sock, &mr, sizeof(mr), 0) != sizeof(mr))
		return 0;
	assert_int_equal(mr.mr_error, EAGAIN);
	return 1;
}

static int
child_end(struct child *ch)
{
	int status;

	close(ch->sock);
	assert_int_equal(waitpid(ch->pid, &status, 0), ch->pid);
	return status;
}

/*
 * Returns the reply to these bytes, sent with a descriptor or without: an
 * errno, or 0, and *fdp a descriptor.
 */
static int
ask_bytes(const struct child *ch, const void *bytes, size_t nbytes, int sendfd,
    uint32_t *seq, int *fdp)
{
	struct monitor_result mr;
	struct iovec iov = { .iov_base = (void *)bytes, .iov_len = nbytes };
	union {
		struct cmsghdr hdr;
		char room[CMSG_SPACE(sizeof(int))];
	} cm;
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &cm,
		.msg_controllen = sizeof(cm.room) };

	cm.hdr.cmsg_level = SOL_SOCKET;
	cm.hdr.cmsg_type = SCM_RIGHTS;
	cm.hdr.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&cm.hdr), &sendfd, sizeof(sendfd));
	if (sendfd == -1)
		msg.msg_controllen = 0;
	assert_int_equal(sendmsg(ch->sock, &msg, 0), (ssize_t)nbytes);
	iov.iov_base = &mr;
	iov.iov_len = sizeof(mr);
	msg.msg_controllen = sizeof(cm.room);
	assert_int_equal(recvmsg(ch->sock, &msg, 0), sizeof(mr));
	*fdp = -1;
	if (CMSG_FIRSTHDR(&msg) != NULL)
		memcpy(fdp, CMSG_DATA(&cm.hdr), sizeof(*fdp));
	assert_int_equal(mr.mr_error == 0, *fdp != -1);
	*seq = mr.mr_seq;
	return mr.mr_error;
}

static int
ask(const struct child *ch, const struct monitor_request *ma, size_t nbytes)
{
	uint32_t seq;
	int fd, error = ask_bytes(ch, ma, nbytes, -1, &seq, &fd);

	if (fd != -1)
		close(fd);
	if (nbytes >= sizeof(ma->ma_seq))
		assert_int_equal(seq, ma->ma_seq);
	return error;
}

/* Returns its number of descriptors; -1: unknown. */
static int
child_nfds(const struct child *ch)
{
	char path[64];
	struct dirent *de;
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)ch->pid);
	if ((dir = opendir(path)) == NULL)
		return -1;
	while ((de = readdir(dir)) != NULL)
		n += de->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void
test_lengths(void **state)
{
	struct monitor_request ma[2] = { { .ma_seq = 4711 } };
	struct child ch;
	size_t n;

	(void)state;
	if (!child_start(&ch, monitor_serve))
		skip();
	ma[0].ma_want.pw_number = 1000000;
	for (n = 1; n <= sizeof(ma); n++)
		if (n != sizeof(ma[0]))
			assert_int_equal(ask(&ch, ma, n), EINVAL);
	assert_int_equal(child_end(&ch), 0);
}

static void
test_kinds(void **state)
{
	static const uint32_t kinds[] = { PERF_NKINDS, PERF_NKINDS + 1, 255,
		0x7fffffff, 0x80000000, UINT32_MAX };
	struct monitor_request ma = { .ma_seq = UINT32_MAX };
	struct child ch;
	size_t i;

	(void)state;
	if (!child_start(&ch, monitor_serve))
		skip();
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		ma.ma_want.pw_kind = kinds[i];
		assert_int_equal(ask(&ch, &ma, sizeof(ma)), EINVAL);
	}
	ma.ma_want.pw_kind = PERF_KPROBE; /* an unterminated name */
	memset(ma.ma_want.pw_name, 'x', sizeof(ma.ma_want.pw_name));
	assert_int_equal(ask(&ch, &ma, sizeof(ma)), EINVAL);
	memset(&ma, 0, sizeof(ma));
	ma.ma_zero = 1;
	assert_int_equal(ask(&ch, &ma, sizeof(ma)), EINVAL);
	assert_int_equal(child_end(&ch), 0);
}

/* Counting events are allowed, and nothing beyond. */
static void
test_counters(void **state)
{
	static const struct {
		uint32_t unit;
		uint64_t event;
	} refused[] = {
		{ PERF_TYPE_TRACEPOINT, 1 },
		{ PERF_TYPE_BREAKPOINT, 0 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT },
		{ PERF_TYPE_SOFTWARE, UINT64_MAX },
		{ 0x7fffffff, 0 },
		{ UINT32_MAX, 0 },
	};
	struct monitor_request ma = { .ma_seq = 1 };
	struct child ch;
	size_t i;

	(void)state;
	if (!child_start(&ch, monitor_serve))
		skip();
	ma.ma_want.pw_kind = PERF_COUNTER;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		ma.ma_want.pw_unit = refused[i].unit;
		ma.ma_want.pw_event = refused[i].event;
		assert_int_equal(ask(&ch, &ma, sizeof(ma)), EINVAL);
	}
	ma.ma_want.pw_unit = PERF_TYPE_SOFTWARE;
	ma.ma_want.pw_event = PERF_COUNT_SW_PAGE_FAULTS;
	assert_int_not_equal(ask(&ch, &ma, sizeof(ma)), EINVAL);
	assert_int_equal(child_end(&ch), 0);
}

/* No event of a process, and none of a CPU that cannot exist. */
static void
test_cpus(void **state)
{
	struct monitor_request ma = { .ma_seq = 1 };
	struct child ch;
	int cpu;

	(void)state;
	if (!child_start(&ch, monitor_serve))
		skip();
	for (cpu = -3; cpu < 0; cpu++) {
		ma.ma_want.pw_cpu = cpu;
		ma.ma_want.pw_number = 1000000;
		assert_int_not_equal(ask(&ch, &ma, sizeof(ma)), 0);
	}
	ma.ma_want.pw_cpu = 0x7fffffff;
	assert_int_not_equal(ask(&ch, &ma, sizeof(ma)), 0);
	assert_int_equal(child_end(&ch), 0);
}

/* Random bytes, some with a descriptor, which must be closed. */
static void
test_random(void **state)
{
	struct monitor_request ma;
	unsigned int seed = 1;
	struct child ch;
	int before, i, fd;
	uint32_t seq;
	size_t n, k;

	(void)state;
	if (!child_start(&ch, monitor_serve))
		skip();
	before = child_nfds(&ch);
	for (i = 0; i < NRANDOM; i++) {
		for (k = 0; k < sizeof(ma); k++)
			((unsigned char *)&ma)[k] = rand_r(&seed) >> 8;
		n = i % 3 == 0 ? rand_r(&seed) % sizeof(ma) + 1 : sizeof(ma);
		if (i % 5 == 0) /* up to the kernel */
			ma.ma_zero = ma.ma_want.pw_name[PERF_NAMEMAX - 1] = 0;
		if (i % 10 == 0)
			ma.ma_want.pw_kind %= PERF_NKINDS;
		(void)ask_bytes(&ch, &ma, n, i % 7 == 0 ? 0 : -1, &seq, &fd);
		if (fd != -1)
			close(fd);
	}
	assert_int_equal(child_nfds(&ch), before);
	assert_int_equal(child_end(&ch), 0);
}

/* Its actual requests, where the test has the privilege. */
static void
test_clock(void **state)
{
	struct monitor_request ma = { .ma_seq = 5 };
	char path[64], to[64] = "";
	struct child ch;
	uint32_t seq;
	int fd, error;

	(void)state;
	if (!child_start(&ch, monitor_serve))
		skip();
	ma.ma_want.pw_kind = PERF_CLOCK;
	ma.ma_want.pw_number = 1000000;
	error = ask_bytes(&ch, &ma, sizeof(ma), -1, &seq, &fd);
	assert_int_equal(child_end(&ch), 0);
	if (error == EACCES || error == EPERM)
		skip();
	assert_int_equal(error, 0);
	assert_int_equal(seq, 5);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_not_equal(readlink(path, to, sizeof(to) - 1), -1);
	assert_string_equal(to, "anon_inode:[perf_event]");
	close(fd);
}

/*
 * Actions that it cannot take
 */

static void
do_open(int sock __attribute__((unused)))
{
	syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY);
}

static void
do_bpf(int sock __attribute__((unused)))
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

static void
do_ptrace(int sock __attribute__((unused)))
{
	syscall(SYS_ptrace, 0, 0, 0, 0);
}

static void
do_mount(int sock __attribute__((unused)))
{
	syscall(SYS_mount, NULL, NULL, NULL, 0, NULL);
}

static void
do_nothing(int sock __attribute__((unused)))
{
}

static void
test_filter(void **state)
{
	static const struct {
		void (*fn)(int);
		int signal;
	} rows[] = {
		{ do_nothing, 0 },
		{ do_open, SIGSYS },
		{ do_bpf, SIGSYS },
		{ do_ptrace, SIGSYS },
		{ do_mount, SIGSYS },
	};
	struct child ch;
	int status;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		child_start(&ch, rows[i].fn);
		status = child_end(&ch);
		if (WIFEXITED(status) && WEXITSTATUS(status) == NOFILTER)
			skip();
		assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		    rows[i].signal);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
