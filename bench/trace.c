/* SPDX-License-Identifier: ISC */
/*
 * dt trace and strace with a command that makes many calls on files: added time
 * of a tar, and what dt loses at its defaults.
 *
 * The command measures its own time, so the start of a tracer is excluded.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

#define TRACE_MAXROUNDS 16
#define TRACE_MAXARGS	16

static char *trace_time, *trace_err, *trace_out;

/* Runs the command below a tracer, whose arguments NULL ends; returns ms. */
static double
run(char *const tracer[])
{
	char *argv[TRACE_MAXARGS], cmd[512];
	double ns = 0;
	FILE *f;
	int n = 0;

	while (tracer[n] != NULL) {
		argv[n] = tracer[n];
		n++;
	}
	snprintf(cmd, sizeof(cmd),
	    "a=$(date +%%s%%N); tar c /usr/include 2>/dev/null | wc -c "
	    ">/dev/null; b=$(date +%%s%%N); echo $((b - a)) >%s",
	    trace_time);
	argv[n++] = "sh";
	argv[n++] = "-c";
	argv[n++] = cmd;
	argv[n] = NULL;
	bench_wait(bench_spawn(argv), 0);
	if ((f = fopen(trace_time, "re")) == NULL || fscanf(f, "%lf", &ns) != 1)
		errx(1, "the command has printed no time");
	fclose(f);
	return ns / 1e6;
}

/* Returns the share of lost events that dt has reported, percent. */
static double
lost(void)
{
	unsigned long long all = 0, n = 0;
	char line[512], *p;
	FILE *f = fopen(trace_err, "re");

	if (f == NULL)
		err(1, "%s", trace_err);
	while (fgets(line, sizeof(line), f) != NULL) {
		/* other lines are of excluded events */
		if ((p = strstr(line, " events, ")) == NULL ||
		    sscanf(line, "dt: %llu events", &all) != 1)
			continue;
		n = 0;
		(void)sscanf(p, " events, %llu", &n);
	}
	fclose(f);
	if (all == 0)
		errx(1, "dt trace has printed no ledger");
	return 100.0 * n / (all + n);
}

int
main(int argc, char **argv)
{
	char cmd[4400];
	char *none[] = { NULL }, *dt[] = { "sh", "-c", cmd, "dt", NULL };
	char *strace[] = { "strace", "-f", "-y", "-o", NULL, NULL };
	double untraced[TRACE_MAXROUNDS], all[TRACE_MAXROUNDS];
	double ours[TRACE_MAXROUNDS], straces[TRACE_MAXROUNDS];
	double losses[TRACE_MAXROUNDS];
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(5, 1);
	trace_time = bench_file();
	trace_err = bench_file();
	trace_out = bench_file();
	strace[4] = trace_out;
	snprintf(cmd, sizeof(cmd), "exec %s/dt trace -o %s -- \"$@\" 2>%s",
	    bench_dir, trace_out, trace_err);
	run(none); /* reads the files into memory */
	for (i = 0; i < n; i++) {
		untraced[i] = run(none);
		all[i] = run(dt);
		ours[i] = all[i] - untraced[i];
		losses[i] = lost();
		straces[i] = run(strace) - untraced[i];
	}
	bench_row_peer("trace-strace", ours, straces, n);
	bench_row_peer("trace-none", all, untraced, n);
	bench_row("trace-lost", losses, n);
	return 0;
}
