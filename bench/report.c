/* SPDX-License-Identifier: ISC */
/*
 * Speed of printing a recording: dt report as text and as JSON, and perf
 * script, with an equal number of events of the same loop.  Files are in
 * memory, output goes to /dev/null.
 */
#include <stdio.h>

#include "bench/bench.h"
#include "bench/client.h"
#include "bench/perf.h"

#define REPORT_MAXROUNDS 8

static char *path, *perfpath;

static void
load(const struct bench_call *bc, uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, n);

	bench_load_go(bl);
	bench_load_end(bl);
}

/* Returns the number of events in the file. */
static uint64_t
record_dt(const struct bench_call *bc, uint64_t n)
{
	char *argv[] = { NULL, "record", "--no-limit", "-o", path,
		(char *)bc->bc_probe, NULL };
	struct client_ledger lg;
	struct client cl;

	client_start(&cl, argv);
	load(bc, n);
	(void)client_settle(&cl);
	client_stop(&cl, &lg);
	return lg.cl_read;
}

static uint64_t
record_perf(const struct bench_call *bc, uint64_t n)
{
	struct perf_counts pc;
	struct perf pe;

	perf_start(&pe, perfpath);
	perf_enable(&pe);
	load(bc, n);
	client_idle(&pe.pe_pid, 1);
	perf_stop(&pe);
	perf_count(perfpath, &pc);
	return pc.pc_samples;
}

/* Returns million events per second. */
static double
print(char *const argv[], uint64_t n)
{
	int64_t start = bench_now();

	bench_wait(bench_spawn(argv), 0);
	return n * 1e3 / (bench_now() - start);
}

int
main(int argc, char **argv)
{
	char dt[4096];
	char *text[] = { dt, "report", path = bench_file(), NULL };
	char *json[] = { dt, "report", "-j", path, NULL };
	char *script[] = { "perf", "script", "-i", perfpath = bench_file(),
		NULL };
	double ours[REPORT_MAXROUNDS], oursj[REPORT_MAXROUNDS];
	double theirs[REPORT_MAXROUNDS];
	uint64_t n, nperf;
	int i, rounds;

	bench_init(argc, argv);
	rounds = bench_rounds(3, 1);
	snprintf(dt, sizeof(dt), "%s/dt", bench_dir);
	n = record_dt(&bench_call6, bench_quick ? 50000 : 300000);
	nperf = record_perf(&bench_call6, bench_quick ? 50000 : 300000);
	for (i = 0; i < rounds; i++) {
		ours[i] = print(text, n);
		oursj[i] = print(json, n);
		theirs[i] = print(script, nperf);
	}
	bench_row_peer("report-text", ours, theirs, rounds);
	bench_row_peer("report-json", oursj, theirs, rounds);
	return 0;
}
