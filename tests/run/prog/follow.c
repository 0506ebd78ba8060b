/* SPDX-License-Identifier: ISC */
/*
 * follow WAY [-n NUMBER]
 *
 * Whether a session that follows a process records all its descendants and no
 * other process.  Each process of a tree makes a call with its own number,
 * close(2) of a descriptor that does not exist.  A process outside of the tree
 * does so all the time.  The record must have each number of the tree once.
 * The table at the end lists the ways in which the tree grows.
 *
 * In the ways "onexec" the root of the tree is awaited (DTFI_ONEXEC): the tree
 * begins at its execve(2), without its earlier calls and children.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"

#define FIRST	     0x40000000u /* never an open descriptor */
#define MAXACTS	     100000
#define STRANGER     0x60000000u /* of a process outside of the tree */

#define NESTED_STACK (64UL << 10) /* bytes */

/* Shared by all processes. */
struct shared {
	atomic_uint sh_nacts;	/* numbers taken */
	atomic_uint sh_ndone;	/* numbers whose call was made */
	atomic_uint sh_nforked; /* processes of the tree without its root */
	atomic_int sh_go;	/* waiting processes may act */
	atomic_int sh_all;	/* all processes of "limit" exist */
	atomic_int sh_reuse;	/* the number that the stranger must take */
	atomic_int sh_end;	/* the stranger ends */
	atomic_int sh_awaited;	/* process that is awaited, or 0 */
};

static struct shared *sh;
static int count; /* -n */

static void
act(void)
{
	syscall(SYS_close, FIRST + atomic_fetch_add(&sh->sh_nacts, 1));
	atomic_fetch_add(&sh->sh_ndone, 1);
}

static void
must(int ok, const char *what)
{
	if (!ok) {
		warn("%s", what);
		_exit(2);
	}
}

/* fork(2), with an act by the child; returns like fork. */
static pid_t
grow(void)
{
	pid_t pid = fork();

	must(pid != -1, "fork");
	if (pid == 0) {
		atomic_fetch_add(&sh->sh_nforked, 1);
		act();
	}
	return pid;
}

static void
reap(pid_t pid)
{
	int status;

	must(waitpid(pid, &status, __WALL) == pid && status == 0, "a child");
}

static void
reap_all(void)
{
	while (waitpid(-1, NULL, __WALL) > 0)
		continue;
}

/*
 * Ways in which a tree grows.  The root runs each after the start of the
 * recording, except the first part of "before".
 */

/*
 * Creates a process in the memory of its parent, which waits: each nested copy
 * of memory costs the kernel more than the previous one.
 */
static int
nested_run(void *arg)
{
	int depth = (int)(intptr_t)arg;
	char *stack;
	pid_t pid;

	if (depth > 0) {
		atomic_fetch_add(&sh->sh_nforked, 1);
		act();
	}
	if (depth == count)
		return 0;
	must((stack = malloc(NESTED_STACK)) != NULL, "a stack");
	pid = clone(nested_run, stack + NESTED_STACK, CLONE_VM | SIGCHLD,
	    (void *)(intptr_t)(depth + 1));
	must(pid != -1, "clone");
	reap(pid);
	free(stack);
	return 0;
}

static void
grow_nested(void)
{
	(void)nested_run((void *)(intptr_t)0);
}

static void
grow_wide(void)
{
	int i;

	for (i = 0; i < count; i++)
		if (grow() == 0)
			_exit(0);
	reap_all();
}

static void
grow_vfork(void)
{
	pid_t pid;
	volatile int i;

	for (i = 0; i < count; i++) {
		if ((pid = vfork()) == 0) {
			atomic_fetch_add(&sh->sh_nforked, 1);
			act();
			_exit(0);
		}
		reap(pid);
	}
}

static pid_t
clone3(uint64_t flags, int signo, pid_t want)
{
	struct clone_args ca = { .flags = flags, .exit_signal = signo };

	if (want != 0) {
		ca.set_tid = (uintptr_t)&want;
		ca.set_tid_size = 1;
	}
	return syscall(SYS_clone3, &ca, sizeof(ca));
}

static void
grow_clone3(void)
{
	pid_t pid;
	int i;

	for (i = 0; i < count; i++) {
		must((pid = clone3(0, SIGCHLD, 0)) != -1, "clone3");
		if (pid == 0) {
			atomic_fetch_add(&sh->sh_nforked, 1);
			act();
			_exit(0);
		}
		reap(pid);
	}
}

/* CLONE_PARENT: siblings of the root by parent, descendants by creator. */
static void
grow_cloneparent(void)
{
	pid_t pid;
	int i;

	for (i = 0; i < count; i++) {
		must((pid = clone3(CLONE_PARENT, 0, 0)) != -1, "CLONE_PARENT");
		if (pid == 0) {
			atomic_fetch_add(&sh->sh_nforked, 1);
			act();
			if (grow() != 0)
				reap_all();
			_exit(0);
		}
	}
	/* they are not the root's children */
	while (atomic_load(&sh->sh_ndone) < 2 * (unsigned int)count)
		usleep(1000);
}

/* Forks twice like a daemon: the process acts after its parent has exited. */
static void
grow_orphan(void)
{
	pid_t pid, parent;
	int i;

	must(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0, "subreaper");
	for (i = 0; i < count; i++) {
		if ((pid = grow()) != 0) {
			reap(pid);
			continue;
		}
		parent = getpid();
		if (fork() != 0)
			_exit(0);
		atomic_fetch_add(&sh->sh_nforked, 1);
		while (getppid() == parent)
			sched_yield();
		act();
		_exit(0);
	}
	reap_all();
}

static void *
thread_grows(void *arg)
{
	pid_t pid = grow();

	(void)arg;
	if (pid == 0)
		_exit(0);
	reap(pid);
	return NULL;
}

static void
grow_threads(void)
{
	pthread_t t;
	int i;

	for (i = 0; i < count; i++) {
		must(pthread_create(&t, NULL, thread_grows, NULL) == 0,
		    "thread");
		pthread_join(t, NULL);
	}
}

/* Programs that a process executes, and how many numbers each takes. */
static const struct program {
	const char *pm_name;
	unsigned int pm_nacts;
} acts = { "acts", 2 }, again = { "again", 5 };

/* execve(2) by a thread that is not the leader takes the leader's place. */
static void *
thread_execs(void *arg)
{
	const struct program *pm = arg;
	char number[16];

	snprintf(number, sizeof(number), "%u",
	    atomic_fetch_add(&sh->sh_nacts, pm->pm_nacts));
	execl("/proc/self/exe", "follow", pm->pm_name, number, NULL);
	_exit(2);
}

static void
exec_by(const struct program *pm, int isthread)
{
	pthread_t t;

	if (!isthread)
		thread_execs((void *)pm);
	must(pthread_create(&t, NULL, thread_execs, (void *)pm) == 0, "thread");
	for (;;)
		pause();
}

static void
grow_exec(void)
{
	pid_t pid;
	int i;

	for (i = 0; i < count; i++) {
		if ((pid = grow()) != 0) {
			reap(pid);
			continue;
		}
		atomic_fetch_add(&sh->sh_nforked, 1); /* of the new program */
		exec_by(&acts, i % 2 != 0);
	}
}

/* The program of grow_exec(): it acts, and so does a child of it. */
static int
exec_acts(unsigned int number)
{
	pid_t pid;

	syscall(SYS_close, FIRST + number);
	if ((pid = fork()) == 0) {
		syscall(SYS_close, FIRST + number + 1);
		_exit(0);
	}
	return pid == -1 || waitpid(pid, NULL, 0) != pid;
}

/*
 * Acts, then has a spawned process act, then the next program that it executes:
 * a second exec of a followed process changes nothing.
 */
static int
exec_again(unsigned int number)
{
	extern char **environ;
	char spawned[16], next[16];
	char *argv[] = { "follow", "acts", spawned, NULL };
	pid_t pid;

	syscall(SYS_close, FIRST + number);
	snprintf(spawned, sizeof(spawned), "%u", number + 1);
	snprintf(next, sizeof(next), "%u", number + 3);
	errno = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ);
	must(errno == 0, "posix_spawn");
	reap(pid);
	execl("/proc/self/exe", "follow", "acts", next, NULL);
	return 2;
}

/* Forks a child with this pid, which acts, unless the pid is taken. */
static void
take_number(pid_t want, int isours)
{
	pid_t pid = clone3(0, SIGCHLD, want);

	must(pid != -1 || errno == EEXIST, "clone3 with a number");
	if (pid == 0) {
		if (isours) {
			atomic_fetch_add(&sh->sh_nforked, 1);
			act();
		} else
			syscall(SYS_close, STRANGER);
		_exit(0);
	}
	if (pid != -1)
		reap(pid);
}

/* Pids that are reused at once: by a stranger, by a descendant. */
static void
grow_reuse(void)
{
	pid_t pid;
	int i;

	for (i = 0; i < count; i++) {
		if ((pid = grow()) == 0)
			_exit(0);
		reap(pid);
		if (i % 2 == 0)
			take_number(pid, 1);
		else {
			atomic_store(&sh->sh_reuse, pid);
			while (atomic_load(&sh->sh_reuse) != 0)
				sched_yield();
		}
	}
}

static void
wait_go(void)
{
	while (!atomic_load(&sh->sh_go))
		usleep(20000);
}

/* Forks a child that acts after the exec of its parent, outside of the tree. */
static pid_t
fork_before(void)
{
	int fds[2];
	pid_t pid;
	char c;

	must(pipe2(fds, O_CLOEXEC) == 0, "pipe2");
	if ((pid = fork()) == 0) {
		close(fds[1]);
		must(read(fds[0], &c, 1) == 0, "end of file");
		syscall(SYS_close, STRANGER);
		_exit(0);
	}
	must(pid != -1, "fork");
	return pid;
}

/*
 * Calls before the execve(2) have a stranger's number, also between a failed
 * execve and the next.
 */
static void
await_run(int isthread)
{
	wait_go();
	syscall(SYS_close, STRANGER);
	fork_before();
	execl("/nonexistent/program", "program", NULL);
	syscall(SYS_close, STRANGER);
	exec_by(&again, isthread);
}

static void
grow_awaited(int sock, int isthread)
{
	pid_t pid;

	must(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0, "subreaper");
	if ((pid = fork()) == 0)
		await_run(isthread);
	must(pid != -1, "fork");
	atomic_store(&sh->sh_awaited, pid);
	atomic_fetch_add(&sh->sh_nforked, 3);
	prog_tell(sock, 'r');
	reap(pid);
	reap_all();
}

static void
grow_onexec(int sock)
{
	grow_awaited(sock, 0);
}

static void
grow_onexecthread(int sock)
{
	grow_awaited(sock, 1);
}

/* A tree that exists already: a chain, with leaves on each of its links. */
static void
grow_before(int sock)
{
	int i;

	for (i = 0; i < count; i++) {
		if (fork() == 0) {
			atomic_fetch_add(&sh->sh_nforked, 1);
			if (fork() == 0) {
				atomic_fetch_add(&sh->sh_nforked, 1);
				wait_go();
				act();
				_exit(0);
			}
			continue; /* the next link */
		}
		break;
	}
	if (i == 0)
		prog_tell(sock, 'r');
	wait_go();
	act();
	reap_all();
	if (i > 0)
		_exit(0);
}

/* More processes than the daemon follows, all at once. */
static void
grow_limit(void)
{
	int i;

	for (i = 0; i < count; i++)
		if (grow() == 0) {
			while (!atomic_load(&sh->sh_all))
				usleep(1000);
			_exit(0);
		}
	while (atomic_load(&sh->sh_nacts) < (unsigned int)count)
		usleep(1000);
	atomic_store(&sh->sh_all, 1);
	reap_all();
}

static const struct way {
	const char *wy_name;
	void (*wy_grow)(void);
	int wy_number;		    /* -n */
	void (*wy_begin)(int sock); /* instead; it also sends the 'r' */
} ways[] = {
	{ "nested", grow_nested, 1000, NULL },
	{ "wide", grow_wide, 1000, NULL },
	{ "vfork", grow_vfork, 200, NULL },
	{ "clone3", grow_clone3, 200, NULL },
	{ "cloneparent", grow_cloneparent, 50, NULL },
	{ "orphan", grow_orphan, 100, NULL },
	{ "threads", grow_threads, 100, NULL },
	{ "exec", grow_exec, 40, NULL },
	{ "reuse", grow_reuse, 200, NULL },
	{ "before", NULL, 30, grow_before },
	{ "limit", grow_limit, 50, NULL },
	{ "onexec", NULL, 1, grow_onexec },
	{ "onexecthread", NULL, 1, grow_onexecthread },
};

#define NWAYS (sizeof(ways) / sizeof(ways[0]))

static void
root_run(int sock, void *arg)
{
	const struct way *wy = arg;

	if (wy->wy_grow == NULL)
		wy->wy_begin(sock);
	else {
		prog_tell(sock, 'r');
		prog_hear(sock);
		wy->wy_grow();
	}
	prog_tell(sock, 'e');
	prog_hear(sock);
}

/* The stranger: forks and calls that must not be recorded. */
static void
stranger_run(int sock, void *arg)
{
	pid_t pid;

	(void)sock;
	(void)arg;
	while (!atomic_load(&sh->sh_end)) {
		syscall(SYS_close, STRANGER);
		if ((pid = fork()) == 0) {
			syscall(SYS_close, STRANGER);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		if ((pid = atomic_load(&sh->sh_reuse)) != 0) {
			take_number(pid, 0);
			atomic_store(&sh->sh_reuse, 0);
		}
		usleep(200);
	}
}

/* Notes the number of an event: each may occur once. */
static void
seen(unsigned char *numbers, const struct dt_event *ev)
{
	uint64_t n = ev->ev_args[0] - FIRST;

	if (ev->ev_args[0] == STRANGER)
		errx(1, "a process that does not descend was recorded");
	if (n >= MAXACTS)
		return; /* some other close(2) of the tree */
	if (numbers[n]++ != 0)
		errx(1, "number %llu came twice", (unsigned long long)n);
}

static void
filter(struct dt *dt, pid_t pid)
{
	struct dtioc_filter fi = { .dtfi_set = DTFI_PID | DTFI_CHILDREN,
		.dtfi_pid = pid };

	if (atomic_load(&sh->sh_awaited) != 0) {
		fi.dtfi_set |= DTFI_ONEXEC;
		fi.dtfi_pid = atomic_load(&sh->sh_awaited);
	}
	if (dt_ioctl(dt, DTIOCSFILTER, &fi) == -1)
		errx(1, "filter: %s", dt_error(dt));
}

/* Records until the tree has ended; returns how many numbers were read. */
static unsigned int
record(struct dt *dt, struct prog_child *root, struct dt_ledger *dl)
{
	static unsigned char numbers[MAXACTS];
	struct pollfd pfd = { .fd = root->pc_sock, .events = POLLIN };
	struct dt_event ev;
	uint64_t nread = 0;
	unsigned int i, n = 0;

	prog_record(dt, 1);
	atomic_store(&sh->sh_go, 1);
	prog_tell(root->pc_sock, 'g');
	while (poll(&pfd, 1, 0) == 0)
		while (dt_next(dt, &ev, 10) == 1) {
			seen(numbers, &ev);
			nread++;
		}
	if (prog_hear(root->pc_sock) != 'e')
		errx(1, "the tree did not grow");
	prog_record(dt, 0);
	while (dt_next(dt, &ev, PROG_DEADLINE * 1000) == 1) {
		seen(numbers, &ev);
		nread++;
	}
	if (errno != ENODATA)
		err(1, "dt_next: %s", dt_error(dt));
	prog_ledger(dt, NULL, nread, dl);
	if (dl->dl_dropped + dl->dl_recursed != 0)
		errx(1, "events were lost");
	for (i = 0; i < MAXACTS; i++)
		n += numbers[i];
	return n;
}

static void
run(const struct way *wy)
{
	int limit = strcmp(wy->wy_name, "limit") == 0;
	struct prog_child root, stranger;
	struct prog_dtd pd;
	struct dt_ledger dl;
	struct dt *dt;
	unsigned int n, nacts;

	prog_dtd_start(&pd, limit ? "follow-processes = 10\n" : "");
	prog_child_start(&stranger, stranger_run, NULL);
	prog_child_start(&root, root_run, (void *)wy);
	if (prog_hear(root.pc_sock) != 'r')
		errx(1, "no tree");
	dt = prog_open(&pd, 0);
	filter(dt, root.pc_pid);
	prog_enable(dt, "syscall:close:entry", DTEVT_FUNCARGS, 0);
	n = record(dt, &root, &dl);
	prog_child_end(&root);
	atomic_store(&sh->sh_end, 1);
	prog_child_end(&stranger);
	dt_close(dt);
	prog_dtd_stop(&pd);
	nacts = atomic_load(&sh->sh_nacts);
	printf("follow %s: %u processes, %u calls, %u recorded, %llu "
	       "unfollowed\n",
	    wy->wy_name, atomic_load(&sh->sh_nforked) + 1, nacts, n,
	    dl.dl_unfollowed);
	if (n + dl.dl_unfollowed != nacts || (!limit && n != nacts))
		errx(1, "not all were recorded");
}

int
main(int argc, char **argv)
{
	size_t i;
	int ch;

	if (argc == 3 && strcmp(argv[1], "acts") == 0)
		return exec_acts(strtoul(argv[2], NULL, 10));
	if (argc == 3 && strcmp(argv[1], "again") == 0)
		return exec_again(strtoul(argv[2], NULL, 10));
	if (argc < 2)
		errx(2, "usage: follow WAY [-n NUMBER]");
	for (i = 0; i < NWAYS && strcmp(ways[i].wy_name, argv[1]) != 0; i++)
		continue;
	if (i == NWAYS)
		errx(2, "no such way: %s", argv[1]);
	count = ways[i].wy_number;
	while ((ch = getopt(argc - 1, argv + 1, "n:")) != -1)
		if (ch != 'n')
			return 2;
		else
			count = prog_number(optarg, MAXACTS / 4);
	prog_init("follow", 300);
	sh = prog_shared(sizeof(*sh));
	run(&ways[i]);
	return 0;
}
