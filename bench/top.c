/* SPDX-License-Identifier: ISC */
/*
 * Cost of dt top, refreshed once per second, on a machine with a moderate load:
 * CPU time of dt and its dtd, and of the programs in the kernel as dtd measures
 * it.  The start is excluded.
 */
#include <sys/syscall.h>

#include <ctype.h>
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

#define TOP_NLOADS 20	    /* processes of the load */
#define TOP_PAUSE  10000000 /* ns between two turns of one */
#define TOP_CALLS  5	    /* pairs of a read and a write per turn */
#define TOP_SETTLE 3	    /* s until a view has begun */

static char *top_file;
static pid_t top_loads[TOP_NLOADS];

/* Makes 1,000 calls per second: reads, writes and pauses. */
static void
load(void)
{
	int in = open("/dev/zero", O_RDONLY), out = open("/dev/null", O_WRONLY);
	char buf[4096];
	int i;

	for (;;) {
		for (i = 0; i < TOP_CALLS; i++)
			if (read(in, buf, sizeof(buf)) == -1 ||
			    write(out, buf, sizeof(buf)) == -1)
				err(1, "load");
		bench_sleep(TOP_PAUSE);
	}
}

/*
 * Returns the mean share of the programs that dt top has printed, percent.  A
 * share is extrapolated from 10 ms, so one alone may be many times the mean.
 */
static double
programs(void)
{
	FILE *f = fopen(top_file, "re");
	char line[512], *p;
	double share = 0;
	int n = 0;

	if (f == NULL)
		err(1, "%s", top_file);
	while (fgets(line, sizeof(line), f) != NULL)
		if ((p = strstr(line, "probes ")) != NULL &&
		    isdigit((unsigned char)p[7])) {
			share += atof(p + 7);
			n++;
		}
	fclose(f);
	return n > 0 ? share / n : 0;
}

/* Returns the cost of a view, percent of one CPU. */
static double
view(const char *name)
{
	char cmd[4600], dt[4096];
	char *argv[] = { "sh", "-c", cmd, NULL };
	double before = 0, after = 0;
	int64_t start;
	pid_t pid;

	snprintf(dt, sizeof(dt), "%s/dt", bench_dir);
	snprintf(cmd, sizeof(cmd), "exec %s top -b --view %s >%s", dt, name,
	    top_file);
	pid = bench_spawn(argv);
	bench_sleep(TOP_SETTLE * 1000000000LL);
	bench_tree(pid, &before, NULL);
	start = bench_now();
	bench_sleep((bench_quick ? 1 : 5) * 1000000000LL);
	bench_tree(pid, &after, NULL);
	after = (after - before) / (bench_now() - start) * 100;
	bench_wait(pid, SIGINT);
	return after + programs();
}

int
main(int argc, char **argv)
{
	static const char *const views[] = { "processes", "calls", "files" };
	char row[64];
	double cost;
	int i;

	bench_init(argc, argv);
	top_file = bench_file();
	for (i = 0; i < TOP_NLOADS; i++)
		if ((top_loads[i] = bench_fork(SIGKILL)) == 0)
			load();
	for (i = 0; i < 3; i++) {
		cost = view(views[i]);
		snprintf(row, sizeof(row), "top-%s", views[i]);
		bench_row(row, &cost, 1);
	}
	for (i = 0; i < TOP_NLOADS; i++)
		bench_wait(top_loads[i], SIGKILL);
	return 0;
}
