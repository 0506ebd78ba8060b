/* SPDX-License-Identifier: ISC */
/*
 * waits MODE [N]: a load with known waits.  Each mode is a function waits_MODE,
 * by whose name its stacks can be selected:
 *
 *	turns	works for 10 ms of CPU time and sleeps for 10 ms, N times
 *	hog	works for 10 * N ms of CPU time, next to a child that does so on
 *		the same CPU
 *	lock	waits N times for a mutex, which another thread holds for 5 ms
 *	pipe	sends N bytes to another thread, and waits for each to return
 *	idle	sleeps until the file "go" exists, then runs turns
 *
 * Prints for the main thread, from begin to end of the function:
 *
 *	PID WALL CPU VOLUNTARY INVOLUNTARY WAITED
 *
 * the time and the CPU time in ns, the context switches by getrusage(2), and
 * the ns around the calls that wait.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAITS_MS 1000000

struct waits_sum {
	uint64_t wall, cpu;
	uint64_t voluntary, involuntary;
};

static uint64_t waits_waited;

void waits_turns(unsigned int), waits_hog(unsigned int),
    waits_lock(unsigned int), waits_pipe(unsigned int),
    waits_idle(unsigned int);

static uint64_t
waits_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

static void
waits_now(struct waits_sum *w)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	*w = (struct waits_sum){ waits_clock(CLOCK_MONOTONIC),
		waits_clock(CLOCK_THREAD_CPUTIME_ID), ru.ru_nvcsw,
		ru.ru_nivcsw };
}

static void
waits_print(const struct waits_sum *from)
{
	struct waits_sum to;

	waits_now(&to);
	printf("%d %llu %llu %llu %llu %llu\n", (int)getpid(),
	    (unsigned long long)(to.wall - from->wall),
	    (unsigned long long)(to.cpu - from->cpu),
	    (unsigned long long)(to.voluntary - from->voluntary),
	    (unsigned long long)(to.involuntary - from->involuntary),
	    (unsigned long long)waits_waited);
	fflush(stdout);
}

static void
waits_work(uint64_t nsecs)
{
	uint64_t end = waits_clock(CLOCK_THREAD_CPUTIME_ID) + nsecs;

	while (waits_clock(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void
waits_sleep(uint64_t nsecs)
{
	struct timespec ts = { 0, nsecs };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* Adds the time since begin. */
static void
waits_note(uint64_t begin)
{
	waits_waited += waits_clock(CLOCK_MONOTONIC) - begin;
}

void
waits_turns(unsigned int n)
{
	struct waits_sum from;
	uint64_t begin;

	waits_now(&from);
	for (; n > 0; n--) {
		waits_work(10 * WAITS_MS);
		begin = waits_clock(CLOCK_MONOTONIC);
		waits_sleep(10 * WAITS_MS);
		waits_note(begin);
	}
	waits_print(&from);
}

void
waits_hog(unsigned int n)
{
	struct waits_sum from;
	cpu_set_t set;
	pid_t pid;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set) == -1)
		err(1, "affinity");
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		waits_work(n * 10 * WAITS_MS);
		_exit(0);
	}
	waits_now(&from);
	waits_work(n * 10 * WAITS_MS);
	waits_print(&from);
	waitpid(pid, NULL, 0);
}

static pthread_mutex_t waits_mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t waits_held, waits_again;

static void *
waits_holder(void *arg)
{
	unsigned int n = *(unsigned int *)arg;

	for (; n > 0; n--) {
		pthread_mutex_lock(&waits_mutex);
		sem_post(&waits_held);
		waits_sleep(5 * WAITS_MS);
		pthread_mutex_unlock(&waits_mutex);
		while (sem_wait(&waits_again) == -1)
			;
	}
	return NULL;
}

void
waits_lock(unsigned int n)
{
	struct waits_sum from;
	unsigned int i;
	uint64_t begin;
	pthread_t t;

	sem_init(&waits_held, 0, 0);
	sem_init(&waits_again, 0, 0);
	waits_now(&from);
	if (pthread_create(&t, NULL, waits_holder, &n) != 0)
		errx(1, "thread");
	for (i = 0; i < n; i++) {
		while (sem_wait(&waits_held) == -1)
			;
		begin = waits_clock(CLOCK_MONOTONIC);
		pthread_mutex_lock(&waits_mutex);
		waits_note(begin);
		pthread_mutex_unlock(&waits_mutex);
		sem_post(&waits_again);
	}
	waits_print(&from);
	pthread_join(t, NULL);
}

static int waits_there[2], waits_back[2];

static void *
waits_echo(void *arg)
{
	char c;

	(void)arg;
	while (read(waits_there[0], &c, 1) == 1 &&
	    write(waits_back[1], &c, 1) == 1)
		;
	return NULL;
}

void
waits_pipe(unsigned int n)
{
	struct waits_sum from;
	unsigned int i;
	uint64_t begin;
	pthread_t t;
	char c = 0;

	if (pipe(waits_there) == -1 || pipe(waits_back) == -1)
		err(1, "pipe");
	if (pthread_create(&t, NULL, waits_echo, NULL) != 0)
		errx(1, "thread");
	waits_now(&from);
	for (i = 0; i < n; i++) {
		if (write(waits_there[1], &c, 1) != 1)
			err(1, "write");
		begin = waits_clock(CLOCK_MONOTONIC);
		if (read(waits_back[0], &c, 1) != 1)
			err(1, "read");
		waits_note(begin);
	}
	waits_print(&from);
	close(waits_there[1]);
	pthread_join(t, NULL);
}

void
waits_idle(unsigned int n)
{
	while (access("go", F_OK) == -1)
		waits_sleep(20 * WAITS_MS);
	waits_turns(n);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(unsigned int);
	} modes[] = { { "turns", waits_turns }, { "hog", waits_hog },
		{ "lock", waits_lock }, { "pipe", waits_pipe },
		{ "idle", waits_idle } };
	size_t i;

	alarm(120);
	for (i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(modes[i].name, argv[1]) != 0)
			continue;
		modes[i].fn(argc > 2 ? atoi(argv[2]) : 50);
		return 0;
	}
	errx(1, "usage: waits turns|hog|lock|pipe|idle [N]");
}
