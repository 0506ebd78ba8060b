/* SPDX-License-Identifier: ISC */
/*
 * stand [-n N] COMMAND ...
 *
 * Runs a command while threads of this process wait, each in a function of the
 * thread's name:
 *
 *	stand_read	reads from an empty pipe; with -n, N threads of this kind
 *			and no others
 *	stand_futex	waits for a futex
 *	stand_sleep	sleeps
 *	stand_spin	runs
 *
 * next to two children: stand_stop has stopped, stand_zombie has exited.  The
 * command has their numbers in STAND_PID, STAND_STOP and STAND_ZOMBIE, and starts
 * when all threads are where they should be.  Returns its status.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STAND_MAX 1000

void *stand_read(void *), *stand_futex(void *), *stand_sleep(void *);
void *stand_spin(void *);

/* A thread, and the system call in which it is expected; -1: in none. */
struct stand_thread {
	const char *name;
	void *(*fn)(void *);
	long call;
	pid_t tid;
};

static struct stand_thread stand_all[] = {
	{ "stand_read", stand_read, SYS_read, 0 },
	{ "stand_futex", stand_futex, SYS_futex, 0 },
	{ "stand_sleep", stand_sleep, SYS_clock_nanosleep, 0 },
	{ "stand_spin", stand_spin, -1, 0 },
};

static struct stand_thread stand_many[STAND_MAX];
static int stand_pipe[2];
static atomic_uint stand_word;
static pthread_barrier_t stand_barrier;

/* Code after a call prevents that it becomes a jump. */
void *
stand_read(void *arg)
{
	char c;

	if (read(stand_pipe[0], &c, 1) == -1)
		err(1, "read");
	return arg;
}

void *
stand_futex(void *arg)
{
	syscall(SYS_futex, &stand_word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return arg;
}

void *
stand_sleep(void *arg)
{
	const struct timespec day = { .tv_sec = 86400 };

	nanosleep(&day, NULL);
	return arg;
}

void *
stand_spin(void *arg)
{
	while (atomic_load(&stand_word) == 0)
		continue;
	return arg;
}

static void *
stand_start(void *arg)
{
	struct stand_thread *st = arg;
	void *p;

	st->tid = gettid();
	prctl(PR_SET_NAME, st->name);
	pthread_barrier_wait(&stand_barrier);
	p = st->fn(arg);
	return p;
}

/* Returns whether a thread is in its call. */
static int
stand_isthere(const struct stand_thread *st)
{
	char path[64], text[64] = "";
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", st->tid);
	if ((fp = fopen(path, "re")) == NULL)
		err(1, "%s", path);
	if (fgets(text, sizeof(text), fp) == NULL)
		text[0] = '\0';
	fclose(fp);
	if (st->call == -1)
		return strncmp(text, "running", 7) == 0;
	return text[0] >= '0' && text[0] <= '9' && atol(text) == st->call;
}

static void
stand_threads(struct stand_thread *st, unsigned int n)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	pthread_t thread;
	unsigned int i;

	pthread_barrier_init(&stand_barrier, NULL, n + 1);
	for (i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, stand_start, &st[i]) != 0)
			errx(1, "pthread_create");
	pthread_barrier_wait(&stand_barrier);
	for (i = 0; i < n; i++)
		while (!stand_isthere(&st[i]))
			nanosleep(&pause, NULL);
}

/* Starts a child that stops or exits, and waits until it has. */
static pid_t
stand_child(const char *name, int stops)
{
	siginfo_t si;
	pid_t pid;

	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (stops)
			raise(SIGSTOP);
		_exit(0);
	}
	if (waitid(P_PID, pid, &si, WNOWAIT | WEXITED | WSTOPPED) == -1)
		err(1, "waitid");
	return pid;
}

static void
stand_export(const char *name, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	setenv(name, text, 1);
}

static int
stand_command(char **argv)
{
	int status;
	pid_t pid;

	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	if (waitpid(pid, &status, 0) == -1)
		err(1, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int
main(int argc, char **argv)
{
	pid_t stopped, zombie;
	unsigned int i, n = 0;
	int status;

	if (argc > 2 && strcmp(argv[1], "-n") == 0) {
		n = atoi(argv[2]);
		argc -= 2;
		argv += 2;
	}
	if (argc < 2 || n > STAND_MAX)
		errx(2, "usage: stand [-n N] COMMAND [ARG ...]");
	if (pipe2(stand_pipe, 0) == -1)
		err(1, "pipe");
	stopped = stand_child("stand_stop", 1);
	zombie = stand_child("stand_zombie", 0);
	stand_export("STAND_PID", getpid());
	stand_export("STAND_STOP", stopped);
	stand_export("STAND_ZOMBIE", zombie);
	for (i = 0; i < n; i++)
		stand_many[i] = stand_all[0];
	if (n > 0)
		stand_threads(stand_many, n);
	else
		stand_threads(stand_all,
		    sizeof(stand_all) / sizeof(stand_all[0]));
	status = stand_command(argv + 1);
	kill(stopped, SIGKILL);
	_exit(status);
}
