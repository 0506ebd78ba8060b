/* SPDX-License-Identifier: ISC */
/*
 * Compares numbers in code of all kinds: actor WORD ..., one word each.  The
 * number identifies the code: 0x1000000 plus the value in the table.  A word
 * after "=" is for the program that this one executes.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "DTKCOV"

static volatile uint32_t base = 0x1000000;
static volatile int sink;
static char **args; /* the remaining words */

/* A function of this program that objects linked with it can call, too. */
__attribute__((noinline)) void
mark(uint32_t n)
{
	sink += base + n == base;
}

static void
do_plain(void)
{
	mark(0x1);
}

static void *
thread(void *arg)
{
	(void)arg;
	mark(0x2);
	raise(SIGUSR2); /* to itself */
	return NULL;
}

static void
on_usr2(int sig)
{
	(void)sig;
	mark(0x3);
}

static void
do_thread(void)
{
	pthread_t t;

	signal(SIGUSR2, on_usr2);
	if (pthread_create(&t, NULL, thread, NULL) != 0)
		errx(1, "pthread_create");
	pthread_join(t, NULL);
}

static void
on_usr1(int sig)
{
	int saved = errno;

	(void)sig;
	mark(0x4);
	errno = saved;
}

static void
do_signal(void)
{
	signal(SIGUSR1, on_usr1);
	raise(SIGUSR1);
}

static void
wait_for(pid_t pid)
{
	int status = -1;

	if (pid == -1 || waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "child: status 0x%x", status);
}

/* A child that starts a thread and another child. */
static void
do_fork(void)
{
	pthread_t t;
	pid_t pid;

	signal(SIGUSR2, on_usr2);
	if ((pid = fork()) == 0) {
		mark(0x5);
		if (pthread_create(&t, NULL, thread, NULL) != 0)
			_exit(1);
		pthread_join(t, NULL);
		if ((pid = fork()) == 0) {
			mark(0x6);
			_exit(0);
		}
		wait_for(pid);
		exit(0);
	}
	wait_for(pid);
}

/* Starts this program again, as another process. */
static void
do_spawn(void)
{
	char *argv[] = { (char *)"actor", (char *)"spawned", NULL };
	extern char **environ;
	pid_t pid;

	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ) != 0)
		errx(1, "posix_spawn");
	wait_for(pid);
}

static void
do_spawned(void)
{
	mark(0x7);
	printf("%s\n", getenv(NAME) != NULL ? "has it" : "has it not");
}

static void
do_vfork(void)
{
	char *argv[] = { (char *)"actor", (char *)"spawned", NULL };
	pid_t pid;

	fflush(NULL);
	if ((pid = vfork()) == 0) {
		mark(0x8);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	wait_for(pid);
}

/* Executes this program again, in the same thread. */
static void
do_exec(void)
{
	mark(0x9);
	fflush(NULL);
	args[0] = (char *)"actor";
	execv("/proc/self/exe", args);
	err(1, "exec");
}

/* The runtime uses neither mappings nor descriptors of the program. */
static void
do_unmap(void)
{
	int fd = atoi(getenv(NAME));
	void *p = mmap(NULL, 8, PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED || munmap(p, 8) != 0 || close(fd) != 0)
		err(1, "memory");
	mark(0xa);
}

/* An object with mark_object(), "./object.so". */
static void
do_dlopen(void)
{
	void (*fn)(void), *object = dlopen("./object.so", RTLD_NOW);

	if (object == NULL ||
	    (fn = (void (*)(void))dlsym(object, "mark_object")) == NULL)
		errx(1, "%s", dlerror());
	fn();
	if (dlclose(object) != 0)
		errx(1, "%s", dlerror());
	mark(0xc);
}

static void
do_errno(void)
{
	errno = 77;
	mark(0xd);
	printf("errno %d\n", errno);
}

/* A constructor with the earliest priority. */
__attribute__((constructor(102))) static void
early(void)
{
	mark(0xe);
}

static const struct {
	const char *name;
	void (*fn)(void);
} places[] = {
	{ "plain", do_plain },
	{ "thread", do_thread },
	{ "signal", do_signal },
	{ "fork", do_fork },
	{ "spawn", do_spawn },
	{ "spawned", do_spawned },
	{ "vfork", do_vfork },
	{ "exec", do_exec },
	{ "unmap", do_unmap },
	{ "dlopen", do_dlopen },
	{ "errno", do_errno },
};

int
main(int argc, char *argv[])
{
	size_t i;

	(void)argc;
	for (args = argv + 1; *args != NULL; args++)
		for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			if (strcmp(*args, places[i].name) == 0)
				places[i].fn();
	return 0;
}
