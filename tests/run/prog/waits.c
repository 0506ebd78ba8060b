/* SPDX-License-Identifier: ISC */
/*
 * waits MODE [N]: a load with known waits, in a function waits_MODE, during which
 * the main thread has this name:
 *
 *	turns	works for 10 ms of CPU time and sleeps for 10 ms, N times
 *	idle	the same, after the file "go" exists
 *	hog	works for 10 * N ms of CPU time, next to a child that does so on
 *		the same CPU
 *	lock	waits N times for a mutex, which another thread holds for 5 ms
 *	pipe	sends N bytes to another thread, and waits for each to return
 *
 * Prints for the main thread, from begin to end of that function:
 *
 *	PID WALL CPU VOLUNTARY INVOLUNTARY WAITED STOLEN
 *
 * the time and the CPU time in ns, the context switches by getrusage(2), the ns
 * around the calls that wait, and the ns that a hypervisor took from the
 * machine, which the thread's CPU time excludes.
 */
#include <sys/prctl.h>
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
	uint64_t stolen;
};

static uint64_t waits_waited;
static unsigned int waits_n = 50;
static pthread_t waits_thread;
static pid_t waits_child;

void waits_turns(void), waits_hog(void), waits_lock(void), waits_pipe(void);

static uint64_t
waits_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

static uint64_t
waits_stolen(void)
{
	unsigned long long ticks = 0;
	FILE *fp = fopen("/proc/stat", "re");

	if (fp == NULL ||
	    fscanf(fp, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
		ticks = 0;
	if (fp != NULL)
		fclose(fp);
	return ticks * (1000000000 / sysconf(_SC_CLK_TCK));
}

static void
waits_now(struct waits_sum *w)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	w->wall = waits_clock(CLOCK_MONOTONIC);
	w->cpu = waits_clock(CLOCK_THREAD_CPUTIME_ID);
	w->voluntary = ru.ru_nvcsw;
	w->involuntary = ru.ru_nivcsw;
}

static void
waits_print(const struct waits_sum *from, const struct waits_sum *to)
{
	printf("%d %llu %llu %llu %llu %llu %llu\n", (int)getpid(),
	    (unsigned long long)(to->wall - from->wall),
	    (unsigned long long)(to->cpu - from->cpu),
	    (unsigned long long)(to->voluntary - from->voluntary),
	    (unsigned long long)(to->involuntary - from->involuntary),
	    (unsigned long long)waits_waited,
	    (unsigned long long)(to->stolen - from->stolen));
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
waits_turns(void)
{
	unsigned int i;
	uint64_t begin;

	for (i = 0; i < waits_n; i++) {
		waits_work(10 * WAITS_MS);
		begin = waits_clock(CLOCK_MONOTONIC);
		waits_sleep(10 * WAITS_MS);
		waits_note(begin);
	}
}

static void
waits_begin_idle(void)
{
	while (access("go", F_OK) == -1)
		waits_sleep(20 * WAITS_MS);
}

static void
waits_start(void *(*fn)(void *))
{
	if (pthread_create(&waits_thread, NULL, fn, NULL) != 0)
		errx(1, "thread");
}

static void
waits_join(void)
{
	pthread_join(waits_thread, NULL);
}

/*
 * hog
 */

static void
waits_begin_hog(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set) == -1)
		err(1, "affinity");
	if ((waits_child = fork()) == -1)
		err(1, "fork");
	if (waits_child == 0) {
		waits_work(waits_n * 10 * WAITS_MS);
		_exit(0);
	}
}

void
waits_hog(void)
{
	waits_work(waits_n * 10 * WAITS_MS);
}

static void
waits_end_hog(void)
{
	waitpid(waits_child, NULL, 0);
}

/*
 * lock
 */

static pthread_mutex_t waits_mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t waits_held, waits_again;

static void *
waits_holder(void *arg)
{
	unsigned int i;

	for (i = 0; i < waits_n; i++) {
		pthread_mutex_lock(&waits_mutex);
		sem_post(&waits_held);
		waits_sleep(5 * WAITS_MS);
		pthread_mutex_unlock(&waits_mutex);
		sem_wait(&waits_again);
	}
	return arg;
}

static void
waits_begin_lock(void)
{
	sem_init(&waits_held, 0, 0);
	sem_init(&waits_again, 0, 0);
	waits_start(waits_holder);
}

void
waits_lock(void)
{
	unsigned int i;
	uint64_t begin;

	for (i = 0; i < waits_n; i++) {
		begin = waits_clock(CLOCK_MONOTONIC);
		sem_wait(&waits_held);
		pthread_mutex_lock(&waits_mutex);
		waits_note(begin);
		pthread_mutex_unlock(&waits_mutex);
		sem_post(&waits_again);
	}
}

/*
 * pipe
 */

static int waits_there[2], waits_back[2];

static void *
waits_echo(void *arg)
{
	char c;

	while (read(waits_there[0], &c, 1) == 1 &&
	    write(waits_back[1], &c, 1) == 1)
		;
	return arg;
}

static void
waits_begin_pipe(void)
{
	if (pipe(waits_there) == -1 || pipe(waits_back) == -1)
		err(1, "pipe");
	waits_start(waits_echo);
}

void
waits_pipe(void)
{
	unsigned int i;
	uint64_t begin;
	char c = 0;

	for (i = 0; i < waits_n; i++) {
		if (write(waits_there[1], &c, 1) != 1)
			err(1, "write");
		begin = waits_clock(CLOCK_MONOTONIC);
		if (read(waits_back[0], &c, 1) != 1)
			err(1, "read");
		waits_note(begin);
	}
}

static void
waits_end_pipe(void)
{
	close(waits_there[1]);
	waits_join();
}

static const struct {
	const char *name;
	void (*begin)(void);
	void (*fn)(void);
	void (*end)(void);
} waits_modes[] = {
	{ "turns", NULL, waits_turns, NULL },
	{ "idle", waits_begin_idle, waits_turns, NULL },
	{ "hog", waits_begin_hog, waits_hog, waits_end_hog },
	{ "lock", waits_begin_lock, waits_lock, waits_join },
	{ "pipe", waits_begin_pipe, waits_pipe, waits_end_pipe },
};

#define NMODES (sizeof(waits_modes) / sizeof(waits_modes[0]))

int
main(int argc, char **argv)
{
	struct waits_sum from, to;
	char name[32];
	size_t i;

	alarm(120);
	if (argc > 2)
		waits_n = atoi(argv[2]);
	for (i = 0; argc > 1 && i < NMODES; i++) {
		if (strcmp(waits_modes[i].name, argv[1]) != 0)
			continue;
		if (waits_modes[i].begin != NULL)
			waits_modes[i].begin();
		snprintf(name, sizeof(name), "waits_%s", argv[1]);
		from.stolen = waits_stolen();
		prctl(PR_SET_NAME, name);
		waits_now(&from);
		waits_modes[i].fn();
		waits_now(&to);
		prctl(PR_SET_NAME, "waits");
		to.stolen = waits_stolen();
		waits_print(&from, &to);
		if (waits_modes[i].end != NULL)
			waits_modes[i].end();
		return 0;
	}
	errx(1, "usage: waits turns|idle|hog|lock|pipe [N]");
}
