/* SPDX-License-Identifier: ISC */
/*
 * Tests what dt/compat.h documents of descriptors, signals, threads and forks,
 * one function each.  Prints the names of those that pass, for
 * tests/run/compat.t.  It is C and C++.
 */
#include <sys/types.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dev/dt/dtvar.h>

#define PATH_DEVDT "/dev/dt"
#define PATIENCE   60000 /* ms */

#define CHECK(x) \
	do { \
		if (!(x)) \
			errx(1, "line %d: %s: %s", __LINE__, #x, \
			    strerror(errno)); \
	} while (0)
#define FAILS(x, error) CHECK((errno = 0, (x)) == -1 && errno == (error))

static struct dt_evt evts[256];

static int
dev_open(int flags)
{
	int fd = open(PATH_DEVDT, O_RDONLY | flags);

	CHECK(fd >= 0);
	return fd;
}

/* Enables a system call's entry; returns its number. */
static uint32_t
dev_enable(int fd, const char *func)
{
	static struct dtioc_probe_info info[8192];
	struct dtioc_probe pr;
	struct dtioc_req rq;
	size_t i;

	pr.dtpr_size = sizeof(info);
	pr.dtpr_probes = info;
	CHECK(ioctl(fd, DTIOCGPLIST, &pr) == 0);
	for (i = 0; i < pr.dtpr_size / sizeof(info[0]); i++)
		if (strcmp(info[i].dtpi_func, func) == 0)
			break;
	CHECK(i < pr.dtpr_size / sizeof(info[0]));
	memset(&rq, 0, sizeof(rq));
	rq.dtrq_pbn = info[i].dtpi_pbn;
	CHECK(ioctl(fd, DTIOCPRBENABLE, &rq) == 0);
	return rq.dtrq_pbn;
}

/* Records these calls of this process only. */
static void
dev_record(int fd)
{
	struct dtioc_filter fi;
	int on = 1;

	memset(&fi, 0, sizeof(fi));
	fi.dtfi_set = DTFI_PID;
	fi.dtfi_pid = getpid();
	CHECK(ioctl(fd, DTIOCSFILTER, &fi) == 0);
	dev_enable(fd, "getuid");
	CHECK(ioctl(fd, DTIOCRECORD, &on) == 0);
}

static void
dev_stop(int fd)
{
	int off = 0;

	CHECK(ioctl(fd, DTIOCRECORD, &off) == 0);
}

static void
load(int n)
{
	while (n-- > 0)
		syscall(SYS_getuid);
}

static int
dev_await(int fd)
{
	struct pollfd pfd = { fd, POLLIN, 0 };

	return poll(&pfd, 1, PATIENCE);
}

/* Counts the events up to the end. */
static int
dev_count(int fd)
{
	ssize_t n;
	int all = 0;

	while ((n = read(fd, evts, sizeof(evts))) > 0)
		all += n / sizeof(evts[0]);
	CHECK(n == 0);
	return all;
}

static void
ordinary(void)
{
	char name[] = "edges.XXXXXX", c;
	int fd, pair[2], n = 0;
	struct stat st;

	close(mkstemp(name));
	unlink(name);
	umask(0);
	CHECK((fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0640)) >= 0);
	CHECK(fstat(fd, &st) == 0 && (st.st_mode & 0777) == 0640);
	CHECK(write(fd, "x", 1) == 1 && lseek(fd, 0, SEEK_SET) == 0);
	CHECK(read(fd, &c, 1) == 1 && c == 'x' && read(fd, &c, 1) == 0);
	CHECK(close(fd) == 0);
	FAILS(close(fd), EBADF);
	FAILS(close(-1), EBADF);
	FAILS(read(-1, &c, 1), EBADF);
	FAILS(ioctl(-1, DTIOCGPLIST, NULL), EBADF);
	FAILS(open(name, O_RDWR | O_CREAT | O_EXCL, 0640), EEXIST);
	unlink(name);
	FAILS(open(name, O_RDONLY), ENOENT);
	CHECK((fd = open("/dev/null", O_RDONLY)) >= 0 && close(fd) == 0);
	CHECK(pipe(pair) == 0 && write(pair[1], "abc", 3) == 3);
	CHECK(ioctl(pair[0], FIONREAD, &n) == 0 && n == 3);
	close(pair[0]);
	close(pair[1]);
}

/* A descriptor's number can be reused for another file. */
static void
numbers(void)
{
	int a = dev_open(0), b = dev_open(0), fd;
	struct dtioc_stat st;
	char c;

	CHECK(a != b);
	CHECK(fcntl(a, F_GETFD) & FD_CLOEXEC);
	CHECK(close(a) == 0);
	FAILS(close(a), EBADF);
	FAILS(read(a, &c, 1), EBADF);
	CHECK(dup2(STDIN_FILENO, a) == a);
	CHECK(read(a, &c, 1) == 0); /* /dev/null */
	FAILS(ioctl(a, DTIOCGSTATS, &st), ENOTTY);
	CHECK(close(a) == 0);
	CHECK(ioctl(b, DTIOCGSTATS, &st) == 0 && st.dtst_readevt == 0);
	CHECK(close(b) == 0);
	CHECK((fd = open(DTDEVNAME, O_RDWR)) >= 0);
	CHECK(ioctl(fd, DTIOCGSTATS, &st) == 0);
	CHECK(close(fd) == 0);
}

/* Members and pointers to functions work as without the header. */
static void
names(void)
{
	struct file {
		ssize_t (*read)(int, void *, size_t);
		int (*close)(int);
	} ops = { read, close }, *p = &ops;
	int fd = dev_open(0);

	FAILS(p->read(fd, evts, 1), EMSGSIZE);
	CHECK(p->close(fd) == 0);
	FAILS(ops.close(fd), EBADF);
}

static void
commands(void)
{
	int fd = dev_open(0), cmd = (int)DTIOCGSTATS, on = 1;
	struct dtioc_stat st;

	CHECK(ioctl(fd, cmd, &st) == 0);
	cmd = (int)DTIOCRECORD; /* sign-extended */
	FAILS(ioctl(fd, cmd, &on), ENOENT);
	FAILS(ioctl(fd, DT_IO('D', 99)), ENOTTY);
	FAILS(ioctl(fd, FIONREAD, &on), ENOTTY);
	FAILS(ioctl(fd, DTIOCGSTATS, NULL), EFAULT);
	CHECK(close(fd) == 0);
}

static void
sizes(void)
{
	int fd = dev_open(0), i, all = 0;

	dev_record(fd);
	load(10);
	FAILS(read(fd, evts, 0), EMSGSIZE);
	FAILS(read(fd, evts, sizeof(evts[0]) - 1), EMSGSIZE);
	for (i = 0; i < 3; i++, all++)
		CHECK(
		    read(fd, evts, 2 * sizeof(evts[0]) - 1) == sizeof(evts[0]));
	dev_stop(fd);
	CHECK(all + dev_count(fd) == 10);
	CHECK(close(fd) == 0);
}

static void
handler(int signo)
{
	(void)signo;
}

static void
signals(void)
{
	struct itimerval it = { { 0, 50000 }, { 0, 50000 } }, off;
	struct sigaction sa;
	int fd = dev_open(0);

	memset(&sa, 0, sizeof(sa));
	memset(&off, 0, sizeof(off));
	sa.sa_handler = handler;
	sa.sa_flags = SA_RESTART;
	dev_record(fd);
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	CHECK(setitimer(ITIMER_REAL, &it, NULL) == 0);
	FAILS(read(fd, evts, sizeof(evts)), EINTR);
	CHECK(setitimer(ITIMER_REAL, &off, NULL) == 0);
	load(7);
	dev_stop(fd);
	CHECK(dev_count(fd) == 7);
	CHECK(close(fd) == 0);
}

static void
nonblock(void)
{
	int fd = dev_open(O_NONBLOCK), all = 0;
	ssize_t n;

	FAILS(read(fd, evts, sizeof(evts)), EAGAIN);
	dev_record(fd);
	FAILS(read(fd, evts, sizeof(evts)), EAGAIN);
	load(5);
	while (all < 5) {
		CHECK(dev_await(fd) == 1);
		n = read(fd, evts, sizeof(evts));
		CHECK(n > 0 || (n == -1 && errno == EAGAIN));
		all += n > 0 ? (int)(n / sizeof(evts[0])) : 0;
	}
	CHECK(all == 5);
	dev_stop(fd);
	CHECK(fcntl(fd, F_SETFL, 0) == 0);
	CHECK(read(fd, evts, sizeof(evts)) == 0);
	CHECK(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
	FAILS(read(fd, evts, sizeof(evts)), EAGAIN);
	CHECK(close(fd) == 0);
}

/* The child has no descriptor, the parent's stays open. */
static void
forks(void)
{
	int fd = dev_open(0), status;
	struct dtioc_stat st;
	pid_t pid;

	dev_record(fd);
	load(5);
	CHECK((pid = fork()) != -1);
	if (pid == 0) {
		FAILS(read(fd, evts, sizeof(evts)), EBADF);
		FAILS(ioctl(fd, DTIOCGSTATS, &st), EBADF);
		FAILS(close(fd), EBADF);
		fd = dev_open(0);
		CHECK(ioctl(fd, DTIOCGSTATS, &st) == 0);
		CHECK(close(fd) == 0);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(system("exit 3") == 3 << 8);
	load(6);
	dev_stop(fd);
	CHECK(dev_count(fd) == 11);
	CHECK(close(fd) == 0);
}

static void *
reader(void *arg)
{
	int fd = *(int *)arg;
	ssize_t n = read(fd, evts, sizeof(evts));

	return n == -1 && errno == EBADF ? arg : NULL;
}

/* close() ends another thread's read(). */
static void
closes(void)
{
	int fd, i;
	pthread_t t;
	void *r;

	for (i = 0; i < 20; i++) {
		fd = dev_open(0);
		CHECK(pthread_create(&t, NULL, reader, &fd) == 0);
		if (i % 2 != 0)
			usleep(5000); /* usually it is within read by now */
		CHECK(close(fd) == 0);
		CHECK(pthread_join(t, &r) == 0);
		CHECK(r == &fd);
	}
}

static int shared;

static void *
asker(void *arg)
{
	struct dtioc_stat st;
	int i, fd, pair[2];
	char c;

	for (i = 0; i < 50; i++) {
		CHECK(ioctl(shared, DTIOCGSTATS, &st) == 0);
		CHECK(pipe(pair) == 0 && write(pair[1], "y", 1) == 1);
		CHECK(read(pair[0], &c, 1) == 1 && c == 'y');
		CHECK(close(pair[0]) == 0 && close(pair[1]) == 0);
		if (i % 10 == 0) {
			fd = dev_open(0);
			CHECK(ioctl(fd, DTIOCGSTATS, &st) == 0);
			CHECK(close(fd) == 0);
		}
	}
	return arg;
}

static void
threads(void)
{
	pthread_t t[4];
	int i;

	shared = dev_open(0);
	dev_record(shared);
	for (i = 0; i < 4; i++)
		CHECK(pthread_create(&t[i], NULL, asker, NULL) == 0);
	load(500);
	for (i = 0; i < 4; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	dev_stop(shared);
	CHECK(dev_count(shared) == 500);
	CHECK(close(shared) == 0);
}

static const struct {
	const char *name;
	void (*fn)(void);
} rows[] = {
	{ "ordinary", ordinary },
	{ "numbers", numbers },
	{ "names", names },
	{ "commands", commands },
	{ "sizes", sizes },
	{ "signals", signals },
	{ "nonblock", nonblock },
	{ "forks", forks },
	{ "closes", closes },
	{ "threads", threads },
};

int
main(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rows[i].fn();
		printf("%s\n", rows[i].name);
		fflush(stdout);
	}
	return 0;
}
