/* SPDX-License-Identifier: ISC */
/*
 * Complete commands as typed by a user, with a private dtd, around a program that
 * exits at once: dt stat, compared with bpftrace that counts the same; all calls by
 * their duration; and all tracepoints of the scheduler.
 */
#include <sys/resource.h>

#include <stdio.h>

#include "bench/bench.h"

#define WHOLE_MAXROUNDS 32

/* Returns the CPU time of all children that were waited for, ms. */
static double
cputime(void)
{
	struct rusage ru;

	getrusage(RUSAGE_CHILDREN, &ru);
	return (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1e3 +
	    (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e3;
}

/* Returns the elapsed time, ms; *cpu: the CPU time, ms. */
static double
run(char *const argv[], double *cpu)
{
	int64_t start = bench_now();
	double before = cputime();

	bench_wait(bench_spawn(argv), 0);
	*cpu = cputime() - before;
	return (bench_now() - start) / 1e6;
}

static char path[4096]; /* of dt */

/* Prints the elapsed times of a command as a row. */
static void
row(const char *name, char *const argv[], int n)
{
	double msecs[WHOLE_MAXROUNDS], cpu;
	int i;

	run(argv, &cpu);
	for (i = 0; i < n; i++)
		msecs[i] = run(argv, &cpu);
	bench_row(name, msecs, n);
}

int
main(int argc, char **argv)
{
	char *dt[] = { path, "stat", "syscall:getppid:entry", "--", "/bin/true",
		NULL };
	char *slower[] = { path, "record", "--slower", "1ms", "syscall:*", "--",
		"/bin/true", NULL };
	char *sched[] = { path, "record", "tracepoint:sched:*", "--",
		"/bin/true", NULL };
	char *bpftrace[] = { "bpftrace", "-e",
		"tracepoint:syscalls:sys_enter_getppid { @[comm] = count(); }",
		"-c", "/bin/true", NULL };
	double ours[WHOLE_MAXROUNDS], theirs[WHOLE_MAXROUNDS];
	double ourcpu[WHOLE_MAXROUNDS], theircpu[WHOLE_MAXROUNDS];
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(11, 3);
	snprintf(path, sizeof(path), "%s/dt", bench_dir);
	run(dt, &ourcpu[0]); /* loads files into the page cache */
	run(bpftrace, &theircpu[0]);
	for (i = 0; i < n; i++) {
		ours[i] = run(dt, &ourcpu[i]);
		theirs[i] = run(bpftrace, &theircpu[i]);
	}
	bench_row("whole-ms", ours, n);
	bench_row_peer("whole", ours, theirs, n);
	bench_row_peer("whole-cpu", ourcpu, theircpu, n);
	row("whole-slower", slower, n);
	row("whole-sched", sched, n);
	return 0;
}
