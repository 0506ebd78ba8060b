/* SPDX-License-Identifier: ISC */
/*
 * Time from a hit to the client's read.  A process makes single system calls
 * at random intervals while nothing else is recorded.  The time of a hit is in
 * its record; the client takes the time when dt_next() returns.  A client with
 * DT_OPEN_ORDERED also waits for older events of other CPUs.
 */
#include <err.h>
#include <signal.h>

#include "bench/bench.h"

#define LATENCY_ROUNDS 5
#define LATENCY_MAX    200	 /* samples per round */
#define LATENCY_MINGAP 1000000LL /* ns between two calls */
#define LATENCY_SPREAD 19000000LL
#define LATENCY_WAITMS 5000

static struct bench_dtd dtd;

static void
latency_round(double *us, int n, int flags)
{
	struct dt *dt = dt_open(dtd.bd_path, DT_OPEN_SERVICE | flags);
	pid_t pid = bench_caller(LATENCY_MINGAP, LATENCY_SPREAD);
	struct dt_event ev;
	int i;

	if (dt == NULL)
		errx(1, "%s", dt_error(NULL));
	bench_filter_pid(dt, pid);
	bench_enable(dt, bench_call0.bc_probe, 0, 0);
	bench_record(dt, 1);
	for (i = 0; i < n; i++) {
		if (dt_next(dt, &ev, LATENCY_WAITMS) != 1)
			err(1, "dt_next: %s", dt_error(dt));
		us[i] = (bench_now() - (int64_t)ev.ev_rec->dr_time) / 1000.0;
	}
	bench_wait(pid, SIGKILL);
	bench_record(dt, 0);
	dt_close(dt);
}

/* Prints rows for the median and the 99th percentile. */
static void
latency(const char *row50, const char *row99, int flags)
{
	double us[LATENCY_ROUNDS * LATENCY_MAX];
	double mid[LATENCY_ROUNDS], high[LATENCY_ROUNDS];
	int i, n = bench_rounds(LATENCY_MAX, 30);

	for (i = 0; i < LATENCY_ROUNDS; i++) {
		latency_round(us + i * n, n, flags);
		mid[i] = bench_median(us + i * n, n) / 1000;
		high[i] = bench_quantile(us + i * n, n, 0.99) / 1000;
	}
	bench_row(row50, mid, LATENCY_ROUNDS);
	bench_row(row99, high, LATENCY_ROUNDS);
	bench_note("%s: %d samples; of all: 99 %% within %.3f ms, longest "
		   "%.3f ms",
	    row50, LATENCY_ROUNDS * n,
	    bench_quantile(us, LATENCY_ROUNDS * n, 0.99) / 1000,
	    bench_quantile(us, LATENCY_ROUNDS * n, 1) / 1000);
}

int
main(int argc, char **argv)
{
	bench_init(argc, argv);
	bench_dtd_start(&dtd);
	latency("latency50", "latency99", 0);
	latency("ordered50", "ordered99", DT_OPEN_ORDERED);
	bench_dtd_stop(&dtd);
	return 0;
}
