/* SPDX-License-Identifier: ISC */
/*
 * kcovns numbers|many
 *
 * Clients of kcov in new pid namespaces, where numbers of threads differ.
 *
 * numbers	each kind of thread and child, by its number in the namespace
 * many		a user's process with thousands of threads sends requests on all
 *		sessions that its limit allows, while root records
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "tests/run/prog/kcov.h"
#include "wire/kcov.h"
#include "tests/run/prog/raw.h"

#define NOBODY	 65534
#define NTHREADS 6000
#define NOPENS	 32 /* per user, by default */
#define NROUNDS	 5
#define NOTHREAD 999999999 /* above any pid_max */
#define DEADLINE 10	   /* s for the rounds; ten times their usual time */

static struct raw raws[NOPENS];

static void
raw_ready(struct raw *rw)
{
	char path[PROG_PATH + 16];
	uint64_t n = 10;
	int error = raw_open(rw, kcov_path(path, sizeof(path)));

	if (error != 0 || raw_call(rw, KIOSETBUFSIZE, &n, sizeof(n)) != 0)
		errx(1, "open: %s", strerror(error));
}

/* prog_fork() to process 1 of a new pid namespace, where getppid(2) is 0. */
static pid_t
fork_below(void)
{
	pid_t pid;

	fflush(NULL);
	if (unshare(CLONE_NEWPID) == -1 || (pid = fork()) == -1)
		err(1, "a pid namespace");
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* Runs fn as process 1 of a pid namespace, and returns when it has exited. */
static void
in_namespace(void (*fn)(int sock), int sock)
{
	int status;
	pid_t pid;

	if ((pid = fork_below()) == 0) {
		if (getpid() != 1)
			errx(1, "not process 1 of the namespace");
		fn(sock);
		fflush(NULL);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "process 1 of the namespace: status %#x", status);
}

/*
 * Numbers
 */

/* Enables the session for this number; returns an errno. */
static int
enable_thread(struct raw *rw, uint32_t tid)
{
	const struct kio_thread kt = { .kt_mode = USER_PC, .kt_tid = tid };

	return raw_call(rw, KIOENABLETHREAD, &kt, sizeof(kt));
}

/* Likewise, and disables it. */
static int
try_thread(struct raw *rw, uint32_t tid)
{
	const struct wire_kcov_disable wd = { .wd_tid = gettid() };
	int error = enable_thread(rw, tid);

	if (error == 0 && raw_call(rw, KIODISABLE, &wd, sizeof(wd)) != 0)
		errx(1, "DISABLE of %u", tid);
	return error;
}

/* A thread that waits until its socket is closed. */
struct waiter {
	pthread_t wa_thread;
	int wa_socks[2];
	pid_t wa_tid;
};

static void *
waiter_main(void *arg)
{
	struct waiter *wa = arg;

	wa->wa_tid = gettid();
	prog_tell(wa->wa_socks[1], 't');
	(void)prog_hear(wa->wa_socks[1]);
	return NULL;
}

static void
waiter_start(struct waiter *wa)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wa->wa_socks) ==
		-1 ||
	    pthread_create(&wa->wa_thread, NULL, waiter_main, wa) != 0)
		err(1, "a thread");
	if (prog_hear(wa->wa_socks[0]) != 't')
		errx(1, "a thread does not start");
}

static void
waiter_end(struct waiter *wa)
{
	close(wa->wa_socks[0]);
	pthread_join(wa->wa_thread, NULL);
	close(wa->wa_socks[1]);
}

static void
numbers_threads(struct raw *rw)
{
	const struct wire_kcov_enable we = { .wke_mode = USER_PC,
		.wke_tid = 1 };
	struct waiter wa;

	same(raw_call(rw, KIOENABLE, &we, sizeof(we)), 0, "ENABLE of itself");
	same(try_thread(rw, 1), EBUSY, "ENABLETHREAD of itself, enabled");
	raw_close(rw);
	raw_ready(rw);
	waiter_start(&wa);
	same(try_thread(rw, wa.wa_tid), 0, "of another thread");
	same(enable_thread(rw, wa.wa_tid), 0, "of it again");
	waiter_end(&wa);
	same(try_thread(rw, wa.wa_tid), ESRCH, "of it when it has ended");
	same(try_thread(rw, 0), ESRCH, "of 0");
	same(try_thread(rw, -1), ESRCH, "of -1");
	same(try_thread(rw, NOTHREAD), ESRCH, "of no thread");
}

static void
child_waits(int sock, void *arg)
{
	(void)arg;
	(void)prog_hear(sock);
}

static void
child_has_threads(int sock, void *arg)
{
	struct waiter wa;

	(void)arg;
	waiter_start(&wa);
	prog_tell(sock, 't');
	(void)prog_hear(sock);
	waiter_end(&wa);
}

/* Forks; the first byte that the child sends is its child's number here. */
static void
child_has_child(int sock, void *arg)
{
	struct prog_child pc;

	(void)arg;
	prog_child_start(&pc, child_waits, NULL);
	prog_tell(sock, (char)pc.pc_pid);
	(void)prog_hear(sock);
	prog_child_end(&pc);
}

/* In a nested namespace, whose process 1 is the child. */
static pid_t
child_below(int sv[2])
{
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) == -1)
		err(1, "socketpair");
	if ((pid = fork_below()) == 0) {
		close(sv[0]);
		(void)prog_hear(sv[1]);
		_exit(0);
	}
	close(sv[1]);
	return pid;
}

static void
numbers_children(struct raw *rw)
{
	struct prog_child pc;
	int sv[2], tid;
	pid_t pid;

	prog_child_start(&pc, child_waits, NULL);
	same(try_thread(rw, pc.pc_pid), 0, "of a child");
	kill(pc.pc_pid, SIGKILL);
	waitid(P_PID, pc.pc_pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	same(try_thread(rw, pc.pc_pid), ESRCH, "of a child that is a zombie");
	waitpid(pc.pc_pid, NULL, 0);
	close(pc.pc_sock);

	prog_child_start(&pc, child_has_threads, NULL);
	if (prog_hear(pc.pc_sock) != 't')
		errx(1, "a child has no threads");
	same(try_thread(rw, pc.pc_pid), ESRCH, "of a child with two threads");
	same(try_thread(rw, pc.pc_pid + 1), ESRCH, "of the other of these");
	prog_child_end(&pc);

	prog_child_start(&pc, child_has_child, NULL);
	tid = prog_hear(pc.pc_sock);
	same(try_thread(rw, tid), ESRCH, "of a child's child");
	prog_child_end(&pc);

	pid = child_below(sv);
	same(try_thread(rw, pid), 0, "of a child in a namespace below");
	close(sv[0]);
	waitpid(pid, NULL, 0);
}

static void
numbers_run(int sock)
{
	uint32_t outside;

	if (read(sock, &outside, sizeof(outside)) != sizeof(outside))
		errx(1, "the numbers outside");
	raw_ready(&raws[0]);
	numbers_threads(&raws[0]);
	same(try_thread(&raws[0], outside), ESRCH, "of its number outside");
	numbers_children(&raws[0]);
	raw_close(&raws[0]);
}

static void
numbers_outer(int sock, void *arg)
{
	(void)arg;
	in_namespace(numbers_run, sock);
}

/* Returns the number, here, of a process's only child. */
static uint32_t
child_of(pid_t pid)
{
	char path[64], file[32];
	uint32_t child;
	FILE *f;

	snprintf(file, sizeof(file), "task/%d/children", (int)pid);
	prog_proc(path, sizeof(path), pid, file);
	for (;;) {
		if ((f = fopen(path, "re")) == NULL)
			err(1, "%s", path);
		if (fscanf(f, "%u", &child) == 1)
			break;
		fclose(f);
	}
	fclose(f);
	return child;
}

static void
numbers(void)
{
	struct prog_child pc;
	uint32_t outside;

	prog_child_start(&pc, numbers_outer, NULL);
	outside = child_of(pc.pc_pid);
	if (write(pc.pc_sock, &outside, sizeof(outside)) != sizeof(outside))
		err(1, "write");
	prog_child_end(&pc);
}

/*
 * Many
 */

static int
idle(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

/* Creates bare threads, because a pthread needs more memory. */
static void
make_threads(unsigned int n)
{
	const size_t size = 8192;
	char *stacks;

	stacks = mmap(NULL, n * size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stacks == MAP_FAILED)
		err(1, "stacks");
	for (; n > 0; n--)
		if (clone(idle, stacks + n * size,
			CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			    CLONE_THREAD | CLONE_SYSVSEM,
			NULL) == -1)
			err(1, "%u threads lack", n);
}

static void
request(struct raw *rw)
{
	const struct kio_thread kt = { .kt_mode = USER_PC, .kt_tid = NOTHREAD };
	uint8_t buf[256];
	size_t len = raw_message(rw, buf, KIOENABLETHREAD, &kt, sizeof(kt));

	if (raw_send(rw, buf, len) != (ssize_t)len)
		err(1, "send");
}

/* Sends requests on all sessions until the other end is closed. */
static void
attack(int sock)
{
	struct pollfd pfds[NOPENS + 1];
	unsigned long n = 0;
	int i;

	make_threads(NTHREADS);
	if (setresgid(NOBODY, NOBODY, NOBODY) == -1 ||
	    setresuid(NOBODY, NOBODY, NOBODY) == -1)
		err(1, "user %d", NOBODY);
	pfds[NOPENS] = (struct pollfd){ .fd = sock, .events = POLLIN };
	for (i = 0; i < NOPENS; i++) {
		raw_ready(&raws[i]);
		pfds[i] = (struct pollfd){ .fd = raws[i].rw_sock,
			.events = POLLIN };
	}
	for (i = 0; i < NOPENS; i++)
		request(&raws[i]);
	for (pfds[NOPENS].revents = 0; pfds[NOPENS].revents == 0;) {
		if (poll(pfds, NOPENS + 1, -1) == -1)
			err(1, "poll");
		for (i = 0; i < NOPENS; i++) {
			if (pfds[i].revents == 0)
				continue;
			if (raw_reply(&raws[i]) != ESRCH)
				errx(1, "a thread that is not there");
			if (n++ == 0)
				prog_tell(sock, 'a');
			request(&raws[i]);
		}
	}
	printf("%lu requests\n", n);
	fflush(NULL);
	_exit(0); /* with all threads */
}

static void
many_outer(int sock, void *arg)
{
	(void)arg;
	in_namespace(attack, sock);
}

/* Records several times; returns the time in s. */
static double
rounds(void)
{
	int64_t start = prog_now();
	struct dt *dt;
	int i;

	for (i = 0; i < NROUNDS; i++) {
		dt = prog_open(&dtd, 0);
		prog_enable(dt, "syscall:getpid:entry", 0, 0);
		prog_record(dt, 1);
		prog_record(dt, 0);
		dt_close(dt);
	}
	return (prog_now() - start) / 1e9;
}

static void
many(void)
{
	struct prog_child pc;
	double attacked;

	(void)rounds(); /* loads the programs */
	printf("%d sessions alone: %.2f s\n", NROUNDS, rounds());
	prog_child_start(&pc, many_outer, NULL);
	if (prog_hear(pc.pc_sock) != 'a')
		errx(1, "the attack does not begin");
	attacked = rounds();
	printf("%d sessions meanwhile: %.2f s\n", NROUNDS, attacked);
	prog_child_end(&pc);
	check(attacked < DEADLINE, "root does not wait");
}

int
main(int argc, char **argv)
{
	prog_init("kcovns", 4 * PROG_DEADLINE);
	if (argc != 2 ||
	    (strcmp(argv[1], "numbers") != 0 && strcmp(argv[1], "many") != 0))
		errx(1, "usage: kcovns numbers|many");
	prog_dtd_start(&dtd, NULL);
	if (strcmp(argv[1], "many") == 0)
		many();
	else
		numbers();
	prog_dtd_stop(&dtd);
	return 0;
}
