/* SPDX-License-Identifier: ISC */
/*
 * steps WORD ...: makes the given calls, one after the other, and no other
 * calls except those that processes and threads need.  A word is a call,
 * followed by its arguments; "( ... )" is run by another process, thread or
 * program.  A failed call does not end the program.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *self;
static void steps_run(char **);

/* Returns the ")" that closes the list at v. */
static char **
steps_end(char **v)
{
	int depth = 1;

	for (; *v != NULL; v++) {
		depth += strcmp(*v, "(") == 0;
		depth -= strcmp(*v, ")") == 0;
		if (depth == 0)
			return v;
	}
	errx(2, "a ) is missing");
}

static long
steps_number(const char *s)
{
	return strtol(s, NULL, 0);
}

static void
steps_open(char **v)
{
	syscall(SYS_openat, AT_FDCWD, v[0], O_RDONLY, 0);
}

static void
steps_opencloexec(char **v)
{
	syscall(SYS_openat, AT_FDCWD, v[0], O_RDONLY | O_CLOEXEC, 0);
}

static void
steps_openat(char **v)
{
	syscall(SYS_openat, steps_number(v[0]), v[1], O_RDONLY, 0);
}

/*
 * Opens the path stored in a file, from memory that was never touched: it is
 * unreadable at the entry and readable at the return.
 */
static void
steps_opencold(char **v)
{
	int fd = open(v[0], O_RDONLY | O_CLOEXEC);
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);

	if (fd == -1 || page == MAP_FAILED)
		err(2, "%s", v[0]);
	close(fd);
	syscall(SYS_openat, AT_FDCWD, page, O_RDONLY, 0);
}

static void
steps_dup(char **v)
{
	syscall(SYS_dup, steps_number(v[0]));
}

static void
steps_dupto(char **v)
{
	syscall(SYS_dup3, steps_number(v[0]), steps_number(v[1]), 0);
}

static void
steps_close(char **v)
{
	syscall(SYS_close, steps_number(v[0]));
}

static void
steps_close_range(char **v)
{
	syscall(SYS_close_range, steps_number(v[0]), steps_number(v[1]), 0);
}

static void
steps_read(char **v)
{
	char buf[8];

	syscall(SYS_read, steps_number(v[0]), buf, sizeof(buf));
}

static void
steps_chdir(char **v)
{
	syscall(SYS_chdir, v[0]);
}

static void
steps_fchdir(char **v)
{
	syscall(SYS_fchdir, steps_number(v[0]));
}

static void
steps_getuid(char **v)
{
	(void)v;
	syscall(SYS_getuid);
}

static void
steps_block(char **v)
{
	const long ms = steps_number(v[0]);
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	syscall(SYS_nanosleep, &ts, NULL);
}

static void
steps_fork(char **v)
{
	pid_t pid = fork();

	if (pid == 0) {
		steps_run(v + 1);
		syscall(SYS_exit_group, 0);
	}
	if (pid == -1 || waitpid(pid, NULL, 0) != pid)
		err(2, "a process");
}

static void *
steps_thread_run(void *v)
{
	steps_run(v);
	return NULL;
}

static void
steps_thread(char **v)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, steps_thread_run, v + 1) != 0 ||
	    pthread_join(thread, NULL) != 0)
		errx(2, "a thread");
}

/* A thread that runs at the same time as the rest. */
static void
steps_beside(char **v)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, steps_thread_run, v + 1) != 0)
		errx(2, "a thread");
}

static void
steps_exec(char **v)
{
	char *argv[64] = { self };
	char **end = steps_end(v + 1);
	size_t n = end - (v + 1);

	if (n > 60)
		errx(2, "too many words");
	memcpy(argv + 1, v + 1, n * sizeof(*argv));
	syscall(SYS_execve, "/proc/self/exe", argv, environ);
	err(2, "execve");
}

static void
steps_kill(char **v)
{
	(void)v;
	kill(getpid(), SIGKILL);
}

static const struct {
	const char *name;
	int nargs; /* -1: ( ... ) */
	void (*fn)(char **);
} steps_calls[] = {
	{ "open", 1, steps_open },
	{ "opencloexec", 1, steps_opencloexec },
	{ "openat", 2, steps_openat },
	{ "opencold", 1, steps_opencold },
	{ "dup", 1, steps_dup },
	{ "dupto", 2, steps_dupto },
	{ "close", 1, steps_close },
	{ "close_range", 2, steps_close_range },
	{ "read", 1, steps_read },
	{ "chdir", 1, steps_chdir },
	{ "fchdir", 1, steps_fchdir },
	{ "getuid", 0, steps_getuid },
	{ "block", 1, steps_block },
	{ "kill", 0, steps_kill },
	{ "fork", -1, steps_fork },
	{ "thread", -1, steps_thread },
	{ "beside", -1, steps_beside },
	{ "exec", -1, steps_exec },
};

#define STEPS_NCALLS (sizeof(steps_calls) / sizeof(steps_calls[0]))

static void
steps_run(char **v)
{
	size_t i;

	while (*v != NULL && strcmp(*v, ")") != 0) {
		for (i = 0; i < STEPS_NCALLS; i++)
			if (strcmp(steps_calls[i].name, *v) == 0)
				break;
		if (i == STEPS_NCALLS)
			errx(2, "there is no step '%s'", *v);
		steps_calls[i].fn(++v);
		if (steps_calls[i].nargs == -1)
			v = steps_end(v + 1) + 1;
		else
			v += steps_calls[i].nargs;
	}
}

int
main(int argc, char **argv)
{
	(void)argc;
	self = argv[0];
	steps_run(argv + 1);
	return 0;
}
