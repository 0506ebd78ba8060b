/* SPDX-License-Identifier: ISC */
/*
 * dt syscalls, strace -c and perf trace -s with a command that makes many
 * cheap calls: dd reads and writes one byte at a time.
 *
 * dd measures its own time, so the start of a tracer is excluded.  The added
 * time is that time minus the time without a tracer, for one read and one
 * write.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

#define SYSCALLS_MAXROUNDS 16
#define SYSCALLS_MAXARGS   16
#define SYSCALLS_FEW	   20 /* factor by which dd copies less with strace */

static char *syscalls_file; /* output of dd */

/* Returns the time of a read and a write, us, as dd has measured it. */
static double
took(long count)
{
	char line[256], *copied;
	double secs = 0;
	FILE *f = fopen(syscalls_file, "re");

	if (f == NULL)
		err(1, "%s", syscalls_file);
	while (fgets(line, sizeof(line), f) != NULL)
		if ((copied = strstr(line, "copied, ")) != NULL)
			secs = atof(copied + strlen("copied, "));
	fclose(f);
	if (secs <= 0)
		errx(1, "dd has printed no time");
	return secs * 1e6 / count;
}

/* Runs dd below a tracer, whose arguments NULL ends. */
static double
run(char *const tracer[], long count)
{
	char *argv[SYSCALLS_MAXARGS], dd[256];
	int n = 0;

	while (tracer[n] != NULL) {
		argv[n] = tracer[n];
		n++;
	}
	snprintf(dd, sizeof(dd),
	    "LC_ALL=C exec dd if=/dev/zero of=/dev/null bs=1 count=%ld 2>%s",
	    count, syscalls_file);
	argv[n++] = "sh";
	argv[n++] = "-c";
	argv[n++] = dd;
	argv[n] = NULL;
	bench_wait(bench_spawn(argv), 0);
	return took(count);
}

int
main(int argc, char **argv)
{
	char path[4096];
	char *none[] = { NULL };
	char *dt[] = { path, "syscalls", "--no-limit", "--", NULL };
	char *strace[] = { "strace", "-f", "-c", "-o", "/dev/null", NULL };
	char *perf[] = { "perf", "trace", "-s", "-o", "/dev/null", NULL };
	double untraced[SYSCALLS_MAXROUNDS], all[SYSCALLS_MAXROUNDS];
	double ours[SYSCALLS_MAXROUNDS], straces[SYSCALLS_MAXROUNDS];
	double perfs[SYSCALLS_MAXROUNDS];
	long count;
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(7, 1);
	count = bench_quick ? 20000 : 500000;
	syscalls_file = bench_file();
	snprintf(path, sizeof(path), "%s/dt", bench_dir);
	for (i = 0; i < n; i++) {
		untraced[i] = run(none, count);
		all[i] = run(dt, count);
		ours[i] = all[i] - untraced[i];
		perfs[i] = run(perf, count) - untraced[i];
		straces[i] = run(strace, count / SYSCALLS_FEW) - untraced[i];
	}
	bench_row_peer("syscalls-strace", ours, straces, n);
	bench_row_peer("syscalls-perf", ours, perfs, n);
	bench_row_peer("syscalls-none", all, untraced, n);
	return 0;
}
