/* SPDX-License-Identifier: ISC */
/*
 * Added cost of recording for the traced process, and CPU time of the
 * collecting processes per event, compared with perf record.
 *
 * A process on one CPU makes a fixed number of cheap system calls.  Runs
 * without tracing, with dt and with perf alternate.  The added cost is the
 * time of a call minus its time in the adjacent untraced runs.  perf writes to
 * /dev/null, the cheapest way to handle an event.
 *
 * CPU time is divided by the events of the load.  perf also records its own
 * calls; a separate run to a file measures their share.
 */
#include <err.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/perf.h"

#define COST_MAXROUNDS 32
#define COST_QUIETMS   20 /* ms without an event: all have arrived */

struct cost {
	double co_none[COST_MAXROUNDS]; /* ns per call */
	double co_dt[COST_MAXROUNDS];
	double co_perf[COST_MAXROUNDS];
	double co_dtcpu[COST_MAXROUNDS];  /* ns per event */
	double co_dtdcpu[COST_MAXROUNDS]; /* daemon's part of co_dtcpu */
	double co_perfcpu[COST_MAXROUNDS];
	double co_lost[COST_MAXROUNDS]; /* fraction */
};

struct rows {
	const char *ro_cost;
	const char *ro_cpu;
	const char *ro_cpuall;
};

static const struct rows rows6 = { "cost6", "cpu6", "cpu6-all" };
static const struct rows rows0 = { "cost0", "cpu0", "cpu0-all" };
static struct bench_dtd dtd;

static double
cost_none(const struct bench_call *bc, uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, n);

	bench_load_go(bl);
	return bench_load_end(bl);
}

/* Reads until the load has ended and no more events arrive. */
static uint64_t
drain(struct dt *dt, const struct bench_load *bl)
{
	struct dt_event ev;
	uint64_t n = 0;
	int r;

	for (;;) {
		r = dt_next(dt, &ev, COST_QUIETMS);
		if (r == -1)
			err(1, "dt_next: %s", dt_error(dt));
		if (r == 1)
			n++;
		else if (bench_load_done(bl))
			return n;
	}
}

static void
cost_dt(struct cost *co, int i, const struct bench_call *bc, uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, n);
	struct dt *dt = bench_open(&dtd, 0);
	int64_t self, daemon;
	uint64_t nread;

	bench_enable(dt, bc->bc_probe, DTEVT_FUNCARGS, 0);
	bench_record(dt, 1);
	self = bench_cputime(0);
	daemon = bench_cputime(dtd.bd_pid);
	bench_load_go(bl);
	nread = drain(dt, bl);
	self = bench_cputime(0) - self;
	daemon = bench_cputime(dtd.bd_pid) - daemon;
	co->co_dt[i] = bench_load_end(bl);
	bench_record(dt, 0);
	dt_close(dt);
	if (nread == 0)
		errx(1, "no event was read");
	co->co_dtcpu[i] = (double)(self + daemon) / nread;
	co->co_dtdcpu[i] = (double)daemon / nread;
	co->co_lost[i] = nread < n ? 1 - (double)nread / n : 0;
}

static void
cost_perf(struct cost *co, int i, const struct bench_call *bc, uint64_t n,
    char *output)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, n);
	struct perf pe;
	int64_t cpu;

	perf_start(&pe, output);
	perf_enable(&pe);
	cpu = bench_cputime(pe.pe_pid);
	bench_load_go(bl);
	while (!bench_load_done(bl))
		bench_sleep(1000000);
	bench_sleep(COST_QUIETMS * 1000000LL);
	co->co_perfcpu[i] = (double)(bench_cputime(pe.pe_pid) - cpu) / n;
	perf_stop(&pe);
	co->co_perf[i] = bench_load_end(bl);
}

/*
 * Returns the number of events that perf records per call of the load, which
 * includes perf's own calls.
 */
static double
perf_surplus(const struct bench_call *bc, uint64_t n)
{
	char *path = bench_file();
	struct perf_counts pc;
	struct cost co;

	cost_perf(&co, 0, bc, n, path);
	perf_count(path, &pc);
	return (double)pc.pc_samples / n;
}

static void
cost_report(const struct cost *co, int n, const struct rows *rows,
    const char *name, double surplus)
{
	double dt[COST_MAXROUNDS], perf[COST_MAXROUNDS];
	int i;

	for (i = 0; i < n; i++) {
		dt[i] = co->co_dt[i] - co->co_none[i];
		perf[i] = co->co_perf[i] - co->co_none[i];
	}
	bench_row_peer(rows->ro_cost, dt, perf, n);
	bench_row_peer(rows->ro_cpu, co->co_dtcpu, co->co_perfcpu, n);
	/* lower bound: divides by all events that perf records */
	for (i = 0; i < n; i++)
		perf[i] = co->co_perfcpu[i] / surplus;
	bench_row_peer(rows->ro_cpuall, co->co_dtcpu, perf, n);
	bench_note(
	    "%s takes %.0f ns untraced; of dt's CPU time per event, "
	    "dtd's is %.1f ns; lost %.4f %%; perf recorded %.2f events per "
	    "call",
	    name, bench_median(co->co_none, n), bench_median(co->co_dtdcpu, n),
	    100 * bench_median(co->co_lost, n), surplus);
}

static void
cost(const struct bench_call *bc, const struct rows *rows)
{
	int i, n = bench_rounds(7, 3);
	uint64_t ncalls = bench_quick ? 200000 : 1000000;
	char null[] = "/dev/null";
	struct cost co;
	double none;

	for (i = 0; i < n; i++) {
		none = cost_none(bc, ncalls);
		cost_dt(&co, i, bc, ncalls);
		co.co_none[i] = (none + cost_none(bc, ncalls)) / 2;
		cost_perf(&co, i, bc, ncalls, null);
	}
	cost_report(&co, n, rows, bc->bc_name, perf_surplus(bc, ncalls));
}

int
main(int argc, char **argv)
{
	bench_init(argc, argv);
	bench_dtd_start(&dtd);
	cost(&bench_call6, &rows6);
	cost(&bench_call0, &rows0);
	bench_dtd_stop(&dtd);
	return 0;
}
