/* SPDX-License-Identifier: ISC */
/*
 * kcovs errors|rights|threads|fork|memory|seed|hostile
 *
 * The kcov device of a separate service, through libdt: its states, without a
 * need for kprobes.  The mode is KCOV_MODE_USER, and the runtime here records
 * nothing.
 *
 * errors	each command, refused for each reason, in the original's order
 * rights	a client with the right LIST only
 * threads	a session belongs to one thread until that thread exits
 * fork		a child inherits no session; a session enabled for a child
 * memory	which parts of its memory can be mapped
 * seed		a program for /dev/kcov (dt/compat.h)
 * hostile	commands with arbitrary content and length, and disconnects at
 *		any time
 */
#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

#include <dt/compat.h>
#include <dt/kcov_runtime.h>
#include "tests/run/prog/kcov.h"
#include "wire/kcov.h"
#include "tests/run/prog/raw.h"

#define NOBODY	65534
#define KPROBES "/sys/bus/event_source/devices/kprobe/type"

/*
 * The runtime: notes the calls it gets.
 */

#define RUNTIME_MAX 200 /* limits the starts */

static int runtime_began, runtime_ended, runtime_fails;
static char runtime_runs[RUNTIME_MAX];
static size_t runtime_nentries;

static int
runtime_begin(int fd, size_t nentries, int mode)
{
	if (runtime_fails) {
		errno = EAGAIN;
		return -1;
	}
	if (fcntl(fd, F_GETFD) != FD_CLOEXEC || mode != KCOV_MODE_TRACE_PC)
		errx(1, "the runtime is told nonsense");
	runtime_nentries = nentries;
	runtime_runs[runtime_began % RUNTIME_MAX] = 1;
	return runtime_began++ % RUNTIME_MAX;
}

static void
runtime_end(int record)
{
	if (!runtime_runs[record])
		errx(1, "the runtime is told to end what does not run");
	runtime_runs[record] = 0;
	runtime_ended++;
}

static const struct dt_kcov_runtime runtime = { runtime_begin, runtime_end };

/*
 * Errors
 */

static struct dt *first; /* of the process that tests errors */

static void *
errors_thread(void *arg)
{
	int mode = USER_PC, bad = 77;

	(void)arg;
	want(first, KIOENABLE, &bad, ENXIO,
	    "ENABLE of another thread's, no such mode");
	want(first, KIODISABLE, NULL, EPERM, "DISABLE of another thread's");
	want(first, KIOENABLE, &mode, ENXIO, "ENABLE of another thread's");
	return NULL;
}

static void
errors_size(struct dt *dt)
{
	unsigned long size = 0;

	want(dt, KIOSETBUFSIZE, &size, EINVAL, "SETBUFSIZE 0");
	size = KCOV_BUF_MAX + 1;
	want(dt, KIOSETBUFSIZE, &size, EINVAL, "SETBUFSIZE too many");
	size = KCOV_BUF_MAX;
	want(dt, KIOSETBUFSIZE, &size, 0, "SETBUFSIZE 524288");
	want(dt, KIOSETBUFSIZE, &size, EBUSY, "SETBUFSIZE twice");
	size = 0;
	want(dt, KIOSETBUFSIZE, &size, EBUSY, "SETBUFSIZE 0, twice");
}

static void
errors_modes(struct dt *dt)
{
	int mode = 0;

	want(dt, KIOENABLE, &mode, EINVAL, "ENABLE mode 0");
	mode = 3;
	want(dt, KIOENABLE, &mode, EINVAL, "ENABLE mode 3");
	mode = KCOV_MODE_USER;
	want(dt, KIOENABLE, &mode, EINVAL, "ENABLE USER alone");
	mode = USER_PC | 0x200;
	want(dt, KIOENABLE, &mode, EINVAL, "ENABLE a bit too many");
	mode = KCOV_MODE_TRACE_CMP;
	want(dt, KIOENABLE, &mode, EOPNOTSUPP, "ENABLE CMP of the kernel");
	mode = KCOV_MODE_TRACE_PC;
	if (access(KPROBES, F_OK) == -1) {
		want(dt, KIOENABLE, &mode, EOPNOTSUPP, "ENABLE, no kprobes");
		check(strstr(dt_error(dt), "kprobe") != NULL, "which is told");
	}
}

static void
errors_funcs(struct dt *dt)
{
	struct kio_funcs kf;

	memset(&kf, 'x', sizeof(kf));
	want(dt, KIOSETFUNCS, &kf, EINVAL, "SETFUNCS without an end");
	snprintf(kf.kf_globs, sizeof(kf.kf_globs), "vfs_*:entry");
	want(dt, KIOSETFUNCS, &kf, EINVAL, "SETFUNCS with a colon");
	snprintf(kf.kf_globs, sizeof(kf.kf_globs), "vfs_read no_such_function");
	want(dt, KIOSETFUNCS, &kf, 0, "SETFUNCS");
}

static void
errors_remote(struct dt *dt, struct dt *other)
{
	struct kio_remote_attach ra = { .subsystem = 1 };
	int mode = USER_PC;

	want(dt, KIOREMOTEATTACH, &ra, EINVAL, "REMOTEATTACH another");
	ra.subsystem = KCOV_REMOTE_COMMON;
	want(dt, KIOREMOTEATTACH, &ra, 0, "REMOTEATTACH");
	want(dt, KIOREMOTEATTACH, &ra, EBUSY, "REMOTEATTACH twice");
	want(other, KIOREMOTEATTACH, &ra, EBUSY,
	    "REMOTEATTACH of another open");
	want(dt, KIOENABLE, &mode, EOPNOTSUPP, "ENABLE USER, remote");
	want(dt, KIODISABLE, NULL, ENXIO, "DISABLE, remote");
}

static void
errors(void)
{
	struct dt *dt = kcov_open(), *other;
	struct kio_remote_attach ra = { .subsystem = 1 };
	struct kio_thread kt = { .kt_mode = USER_PC, .kt_tid = 1 };
	struct kio_funcs kf = { "vfs_*" };
	unsigned long size = 10;
	int mode = USER_PC, bad = 77;
	char buf[8];

	first = dt;
	want(dt, 0x20004b63, NULL, ENOTTY, "unknown");
	want(dt, KIOENABLE, &bad, ENXIO, "ENABLE first, no such mode");
	want(dt, KIODISABLE, NULL, EPERM, "DISABLE first");
	want(dt, KIOREMOTEATTACH, &ra, ENXIO, "REMOTEATTACH first");
	want(dt, KIOENABLETHREAD, &kt, ESRCH, "ENABLETHREAD of process 1");
	want(dt, KIOENABLE, NULL, EFAULT, "ENABLE NULL");
	check(dt_read(dt, buf, sizeof(buf), 0) == -1 && errno == ENODEV,
	    "read: ENODEV");
	errors_size(dt);
	errors_modes(dt);
	errors_funcs(dt);

	want(dt, KIOENABLE, &mode, EOPNOTSUPP, "ENABLE without the runtime");
	dt_kcov_runtime(&runtime, 1);
	runtime_fails = 1;
	want(dt, KIOENABLE, &mode, EAGAIN, "ENABLE that the runtime refuses");
	runtime_fails = 0;
	want(dt, KIOENABLE, &mode, 0, "ENABLE");
	check(runtime_nentries == KCOV_BUF_MAX, "the runtime has all entries");
	want(dt, KIOENABLE, &bad, EBUSY, "ENABLE twice, no such mode");
	want(dt, KIOSETBUFSIZE, &size, EBUSY, "SETBUFSIZE while enabled");
	want(dt, KIOSETFUNCS, &kf, EBUSY, "SETFUNCS while enabled");
	want(dt, KIOREMOTEATTACH, &ra, ENXIO, "REMOTEATTACH while enabled");
	other = kcov_open();
	want(other, KIOENABLE, &mode, EBUSY, "ENABLE another, no memory");
	in_thread(errors_thread, NULL);
	want(dt, KIODISABLE, NULL, 0, "DISABLE");
	check(runtime_ended == runtime_began, "the runtime has ended");
	want(dt, KIODISABLE, NULL, EPERM, "DISABLE twice");
	want(other, KIOENABLE, &mode, ENXIO, "ENABLE another, ENXIO");
	want(other, KIOSETBUFSIZE, &size, 0, "SETBUFSIZE another");
	errors_remote(dt, other);
	dt_close(dt);
	want(other, KIOREMOTEATTACH, &ra, EINVAL, "REMOTEATTACH another's");
	dt_close(other);
}

/* A client with the right LIST only. */
static void
rights(void)
{
	struct raw rw = { .rw_sock = -1, .rw_data = -1 };
	struct wire_kcov_enable we = { .wke_mode = KCOV_MODE_TRACE_PC };
	const struct kio_funcs kf = { .kf_globs = "vfs_*" };
	char path[PROG_PATH + 16];
	uint64_t n = 10;
	int status, error;
	pid_t pid;

	if ((pid = prog_fork()) == 0) {
		if (setresgid(NOBODY, NOBODY, NOBODY) == -1 ||
		    setresuid(NOBODY, NOBODY, NOBODY) == -1 ||
		    raw_open(&rw, kcov_path(path, sizeof(path))) != 0 ||
		    raw_call(&rw, KIOSETBUFSIZE, &n, sizeof(n)) != 0)
			_exit(2);
		we.wke_tid = getpid();
		error = raw_call(&rw, KIOENABLE, &we, sizeof(we));
		we.wke_mode = USER_PC;
		_exit(error != EPERM ||
		    raw_call(&rw, KIOSETFUNCS, &kf, sizeof(kf)) != EPERM ||
		    raw_call(&rw, KIOGETPRICE, NULL, 0) != EPERM ||
		    raw_call(&rw, KIOENABLE, &we, sizeof(we)) != 0);
	}
	check(waitpid(pid, &status, 0) == pid && status == 0,
	    "without TRACE_ALL: the kernel EPERM, its own code 0");
}

/*
 * Threads
 */

static void *
thread_leaves(void *arg)
{
	if (try(arg, KIOENABLE, USER_PC) != 0)
		errx(1, "ENABLE in a thread: %s", dt_error(arg));
	return NULL;
}

/* Closes the session that it has enabled. */
static void *
thread_closes(void *arg)
{
	struct dt *dt = kcov_ready(10, NULL);
	int mode = USER_PC;

	(void)arg;
	thread_leaves(dt);
	dt_close(dt);
	dt = kcov_ready(10, NULL);
	want(dt, KIOENABLE, &mode, EBUSY, "ENABLE after a close");
	return dt;
}

static void
threads(void)
{
	struct dt *dt = kcov_ready(10, NULL);
	int mode = USER_PC, i;
	pthread_t t;
	void *closed;

	dt_kcov_runtime(&runtime, 1);
	for (i = 0; i < 100; i++)
		in_thread(thread_leaves, dt);
	check(runtime_began == 100 && runtime_ended == 99,
	    "what a thread leaves enabled ends with it, 100 times");
	want(dt, KIODISABLE, NULL, EPERM, "DISABLE after its end");
	want(dt, KIOENABLE, &mode, 0, "ENABLE after its end");
	if (pthread_create(&t, NULL, thread_closes, NULL) != 0 ||
	    pthread_join(t, &closed) != 0)
		errx(1, "a thread");
	in_thread(thread_leaves, closed);
	check(1, "its open does for another thread");
	dt_close(closed);
	dt_close(dt);
	dt = kcov_ready(10, NULL);
	want(dt, KIOENABLE, &mode, EBUSY, "ENABLE after a close, here");
	dt_close(dt);
}

/*
 * Processes
 */

static int
child_is_refused(struct dt *dt)
{
	return try(dt, KIOENABLE, USER_PC) == EBUSY &&
	    try(dt, KIODISABLE, 0) == EPERM;
}

static void
wait_for_hangup(int sock, void *arg)
{
	(void)arg;
	(void)prog_hear(sock);
}

static void
forks(void)
{
	struct dt *dt = kcov_ready(10, NULL);
	struct kio_thread kt = { .kt_mode = USER_PC };
	struct prog_child child;
	int mode = USER_PC, status;
	pid_t pid;

	dt_kcov_runtime(&runtime, 1);
	want(dt, KIOENABLE, &mode, 0, "ENABLE");
	if ((pid = prog_fork()) == 0)
		_exit(!child_is_refused(dt));
	check(waitpid(pid, &status, 0) == pid && status == 0,
	    "in a child: ENABLE is EBUSY, DISABLE EPERM");
	want(dt, KIODISABLE, NULL, 0, "DISABLE");

	prog_child_start(&child, wait_for_hangup, NULL);
	kt.kt_tid = child.pc_pid;
	want(dt, KIOENABLETHREAD, &kt, 0, "ENABLETHREAD of a child");
	want(dt, KIOENABLETHREAD, &kt, EBUSY, "ENABLETHREAD of it, twice");
	want(dt, KIODISABLE, NULL, 0, "DISABLE of a child's");
	want(dt, KIODISABLE, NULL, EPERM, "DISABLE of a child's, twice");
	want(dt, KIOENABLETHREAD, &kt, 0, "ENABLETHREAD of it, again");
	prog_child_end(&child);
	want(dt, KIODISABLE, NULL, EPERM, "DISABLE when it has ended");
	want(dt, KIOENABLETHREAD, &kt, ESRCH, "ENABLETHREAD of who has ended");
	want(dt, KIOENABLE, &mode, 0, "ENABLE");
	dt_close(dt);
}

/*
 * Memory
 */

static int
maps(struct dt *dt, size_t nbytes, off_t offset)
{
	void *p = dt_mmap(dt, nbytes, PROT_READ | PROT_WRITE, offset);

	if (p == NULL)
		return errno;
	munmap(p, nbytes);
	return 0;
}

static void
memory(void)
{
	size_t page = getpagesize(), n = page / KCOV_ENTRY_SIZE, nentries;
	struct dt *dt = kcov_open(), *small, *odd, *big;
	uint64_t *p, *q;
	int fd;

	check(maps(dt, page, 0) == EINVAL, "mmap before SETBUFSIZE: EINVAL");
	check(dt_mmap_fd(dt, NULL) == -1 && errno == EINVAL,
	    "dt_mmap_fd before it: EINVAL");
	dt_close(dt);
	dt = kcov_ready(3 * n, &p);
	check(maps(dt, 0, 0) == EINVAL, "no bytes: EINVAL");
	check(maps(dt, page, 1) == EINVAL, "an odd offset: EINVAL");
	check(maps(dt, page, -(off_t)page) == EINVAL, "before it: EINVAL");
	check(maps(dt, page, 3 * page) == EINVAL, "behind it: EINVAL");
	check(maps(dt, 3 * page + 1, 0) == EINVAL, "longer: EINVAL");
	check(maps(dt, SIZE_MAX, page) == EINVAL, "without an end: EINVAL");
	check(maps(dt, 5, 0) == 0, "five bytes");
	check(maps(dt, 3 * page - 5, 0) == 0, "nearly all");
	check(maps(dt, page, 2 * page) == 0, "the last page");
	q = dt_mmap(dt, page, PROT_READ, page);
	p[n] = 42;
	check(q != NULL && *q == 42, "two mappings are one memory");
	small = kcov_ready(1, NULL);
	check(maps(small, page, 0) == EINVAL, "of one entry: EINVAL");
	odd = kcov_ready(n + 1, NULL);
	check(maps(odd, 2 * page, 0) == EINVAL && maps(odd, page, 0) == 0,
	    "of a page and one: the page");
	big = kcov_ready(KCOV_BUF_MAX, &q);
	q[KCOV_BUF_MAX - 1] = 7;
	check((fd = dt_mmap_fd(big, &nentries)) != -1 &&
		nentries == KCOV_BUF_MAX && fcntl(fd, F_GETFD) == FD_CLOEXEC,
	    "dt_mmap_fd");
	dt_close(dt);
	check(p[n] == 42, "a mapping outlives its open");
	dt = prog_open(&dtd, 0);
	check(maps(dt, page, 0) == ENODEV, "mmap of dt: ENODEV");
	dt_close(dt);
	dt_close(small);
	dt_close(odd);
	dt_close(big);
	close(fd);
}

/* Like programs for the original. */
static void
seed(void)
{
	unsigned long size = 2048;
	uint64_t *p;
	int fd = dt_compat_open("/dev/kcov", O_RDWR), mode = USER_PC;
	char byte;

	dt_kcov_runtime(&runtime, 1);
	check(fd != -1, "open");
	check(dt_compat_ioctl(fd, KIOSETBUFSIZE, &size) == 0, "SETBUFSIZE");
	p = dt_compat_mmap(NULL, size * KCOV_ENTRY_SIZE, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	check(p != MAP_FAILED, "mmap");
	check(p[0] == 0 && p[size - 1] == 0, "it is empty");
	check(dt_compat_mmap(NULL, size * KCOV_ENTRY_SIZE + 1, PROT_READ,
		  MAP_SHARED, fd, 0) == MAP_FAILED &&
		errno == EINVAL,
	    "mmap of more: EINVAL");
	check(dt_compat_mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
		  -1, 0) != MAP_FAILED,
	    "mmap of something else");
	check(dt_compat_ioctl(fd, KIOENABLE, &mode) == 0, "ENABLE");
	check(dt_compat_ioctl(fd, KIOENABLE, &mode) == -1 && errno == EBUSY,
	    "ENABLE: EBUSY");
	check(dt_compat_ioctl(fd, KIODISABLE) == 0, "DISABLE");
	check(dt_compat_read(fd, &byte, 1) == -1 && errno == ENODEV,
	    "read: ENODEV");
	check(munmap(p, size * KCOV_ENTRY_SIZE) == 0 &&
		dt_compat_close(fd) == 0,
	    "close");
}

/*
 * Hostile clients
 */

static size_t
hostile_frame(uint8_t *buf, uint32_t *command)
{
	static const uint32_t commands[] = { KIOSETBUFSIZE, KIOENABLE,
		KIODISABLE, KIOREMOTEATTACH, KIOENABLETHREAD, KIOSETFUNCS,
		KIOGETSTAT, WIRE_MMAP, 0x20004b7f };
	struct wire_kcov_enable we = {
		.wke_mode = random() % 3 | (random() % 4 ? KCOV_MODE_USER : 0),
		.wke_tid = random() % 4 ? getpid() : random(),
	};
	size_t len, i;

	*command =
	    commands[random() % (sizeof(commands) / sizeof(commands[0]))];
	len = *command & DT_IOC_IN ? (*command >> 16) & 0x1fff : 0;
	if (*command == KIOENABLE || *command == KIODISABLE)
		len = sizeof(we);
	if (random() % 8 == 0)
		len = random() % 1200;
	for (i = 0; i < len; i++)
		buf[i] = random() % 3 == 0 ? random() % 64 : 0;
	if (*command == KIOSETBUFSIZE && random() % 8 != 0)
		memset(buf + 2, 0, 6);
	if (len == sizeof(we) && *command != KIOSETBUFSIZE &&
	    *command != KIOREMOTEATTACH && random() % 8 != 0)
		memcpy(buf, &we, sizeof(we));
	return len;
}

static void
hostile(void)
{
	char path[PROG_PATH + 16];
	static uint8_t buf[2048], frame[4096];
	unsigned long n = 0, ok = 0;
	uint32_t command;
	struct raw rw;
	size_t len;
	int i, left, error;

	dt_kcov_runtime(&runtime, 1);
	srandom(1);
	for (i = 0; i < 100; i++) {
		error = raw_open(&rw, kcov_path(path, sizeof(path)));
		if (error != 0)
			errx(1, "open: %d", error);
		for (left = random() % 40; left > 0; left--) {
			len = hostile_frame(buf, &command);
			if ((error = raw_call(&rw, command, buf, len)) == -1)
				errx(1, "command %#x: hung up", command);
			if (command == WIRE_MMAP && error == 0)
				close(rw.rw_data);
			ok += error == 0;
			n++;
		}
		if (i % 2 == 0) { /* and exits before the reply */
			len = hostile_frame(buf, &command);
			len = raw_message(&rw, frame, command, buf, len);
			(void)raw_send(&rw, frame, len);
		}
		raw_close(&rw);
	}
	printf("%lu commands, %lu of them fine\n", n, ok);
	check(ok > n / 20 && ok < n, "some of each");
	in_thread(thread_closes, NULL);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} runs[] = {
		{ "errors", errors },
		{ "rights", rights },
		{ "threads", threads },
		{ "fork", forks },
		{ "memory", memory },
		{ "seed", seed },
		{ "hostile", hostile },
	};
	size_t i;

	prog_init("kcovs", 2 * PROG_DEADLINE);
	for (i = 0; argc == 2 && i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (strcmp(argv[1], runs[i].name) != 0)
			continue;
		if (runs[i].run != seed) /* seed has a private daemon */
			prog_dtd_start(&dtd, NULL);
		runs[i].run();
		if (runs[i].run != seed)
			prog_dtd_stop(&dtd);
		return 0;
	}
	errx(1, "usage: kcovs errors|rights|threads|fork|memory|seed|hostile");
}
