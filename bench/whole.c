/* SPDX-License-Identifier: ISC */
/*
 * A complete command as typed by a user: dt stat with a private dtd, and
 * bpftrace counting the same calls, around a program that exits at once.
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

int
main(int argc, char **argv)
{
	char path[4096];
	char *dt[] = { path, "stat", "syscall:getppid:entry", "--", "/bin/true",
		NULL };
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
	return 0;
}
