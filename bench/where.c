/* SPDX-License-Identifier: ISC */
/*
 * dt where on a machine with 500 more threads, whose processes wait in several
 * calls: the whole command, with a service, and the CPU time of the
 * client and the service.  The first run, for which dtd reads the tables of all
 * programs, has its own row.
 */
#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/bench.h"

#define WHERE_NPROCESSES 25
#define WHERE_NTHREADS	 20 /* of each, with the first one */
#define WHERE_MAXROUNDS	 32
#define WHERE_STACK	 65536 /* bytes of a thread's stack */

static sem_t where_never;
static int where_pipe[2];

static void
wait_lock(void)
{
	sem_wait(&where_never);
}

static void
wait_read(void)
{
	char c;

	if (read(where_pipe[0], &c, 1) != 1)
		pause();
}

static void
wait_poll(void)
{
	poll(NULL, 0, -1);
}

static void
wait_sleep(void)
{
	sleep(1000000);
}

static void *
waiter(void *arg)
{
	static void (*const waits[])(
	    void) = { wait_lock, wait_read, wait_poll, wait_sleep };

	for (;;)
		waits[(uintptr_t)arg % 4]();
	return NULL;
}

static void
load(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	uintptr_t i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, WHERE_STACK);
	for (i = 1; i < WHERE_NTHREADS; i++)
		if (pthread_create(&thread, &attr, waiter, (void *)i) != 0)
			errx(1, "pthread_create");
	waiter(NULL);
}

static double
cputime(const struct bench_dtd *dtd)
{
	struct rusage ru;
	double nsecs = 0;

	bench_tree(dtd->bd_pid, &nsecs, NULL);
	getrusage(RUSAGE_CHILDREN, &ru);
	return nsecs / 1e6 + (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1e3 +
	    (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e3;
}

/* Returns the elapsed time, ms; *cpu: the CPU time of client and service, ms. */
static double
run(const struct bench_dtd *dtd, double *cpu)
{
	char path[4096];
	char *argv[] = { path, "where", NULL };
	double before = cputime(dtd);
	int64_t start = bench_now();
	double msecs;

	snprintf(path, sizeof(path), "%s/dt", bench_dir);
	bench_wait(bench_spawn(argv), 0);
	msecs = (bench_now() - start) / 1e6;
	*cpu = cputime(dtd) - before;
	return msecs;
}

int
main(int argc, char **argv)
{
	double first, firstcpu, msecs[WHERE_MAXROUNDS], cpu[WHERE_MAXROUNDS];
	pid_t loads[WHERE_NPROCESSES];
	struct bench_dtd dtd;
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(15, 3);
	if (sem_init(&where_never, 0, 0) == -1 || pipe(where_pipe) == -1)
		err(1, "load");
	for (i = 0; i < WHERE_NPROCESSES; i++)
		if ((loads[i] = bench_fork(SIGKILL)) == 0)
			load();
	bench_dtd_start(&dtd);
	bench_dtd_serve(&dtd, 1);
	first = run(&dtd, &firstcpu);
	for (i = 0; i < n; i++)
		msecs[i] = run(&dtd, &cpu[i]);
	bench_dtd_serve(&dtd, 0);
	bench_dtd_stop(&dtd);
	for (i = 0; i < WHERE_NPROCESSES; i++)
		bench_wait(loads[i], SIGKILL);
	bench_row("where", msecs, n);
	bench_row("where-cpu", cpu, n);
	bench_row("where-first", &first, 1);
	bench_row("where-first-cpu", &firstcpu, 1);
	return 0;
}
