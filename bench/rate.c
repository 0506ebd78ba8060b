/* SPDX-License-Identifier: ISC */
/*
 * Events per second that reach a client of libdt from loops on two CPUs, and
 * the size of rings that avoids losses.  Loops, daemon and client share all
 * CPUs.
 */
#include <err.h>
#include <stdio.h>

#include "bench/bench.h"

#define RATE_MAXROUNDS 16
#define RATE_NLOAD     2
#define RATE_QUIETMS   20
#define RATE_LOOK      4096 /* events between reads of the clock */

/*
 * Budgets of a session; the default first, then by size.  On two CPUs the
 * daemon uses at most 8 MB.
 */
static const uint64_t budgets[] = { 4 << 20, 1 << 20, 2 << 20, 8 << 20 };
#define RATE_NBUDGET (sizeof(budgets) / sizeof(budgets[0]))

struct rate {
	uint64_t ra_budget;
	double ra_rate[RATE_MAXROUNDS]; /* million events per second */
	double ra_lost[RATE_MAXROUNDS]; /* lost events */
	double ra_busy[RATE_MAXROUNDS]; /* CPU time of the loops, % */
	double ra_fired;		/* hits of all rounds */
};

static struct bench_dtd dtd;

/*
 * Reads for nsecs, then stops the loads and reads the rest.  *last is the time
 * of the last event.
 */
static uint64_t
take(struct dt *dt, struct bench_load **bl, int64_t nsecs, int64_t *last)
{
	int64_t end = bench_now() + nsecs;
	int i, r, stopped = 0;
	struct dt_event ev;
	uint64_t n = 0;

	for (;;) {
		r = dt_next(dt, &ev, RATE_QUIETMS);
		if (r == -1)
			err(1, "dt_next: %s", dt_error(dt));
		if (r == 0 && stopped)
			return n;
		n += r;
		/* reading the clock costs as much as an event */
		if (r == 0 || (!stopped && n % RATE_LOOK != 0))
			continue;
		*last = bench_now();
		if (stopped || *last < end)
			continue;
		for (i = 0; i < RATE_NLOAD; i++)
			bench_load_stop(bl[i]);
		stopped = 1;
	}
}

/* Ends the loads.  Returns the percentage of time that they had a CPU. */
static double
loads_end(struct bench_load **bl)
{
	double busy = 0;
	int i;

	for (i = 0; i < RATE_NLOAD; i++) {
		while (!bench_load_done(bl[i]))
			bench_sleep(1000000);
		busy += 100.0 * bl[i]->bl_cputime / bl[i]->bl_nsecs;
		bench_load_end(bl[i]);
	}
	return busy / RATE_NLOAD;
}

static void
rate_round(struct rate *ra, int i, const struct bench_call *bc, int64_t nsecs)
{
	struct bench_load *bl[RATE_NLOAD];
	struct dt *dt = bench_open(&dtd, ra->ra_budget);
	struct dtioc_fullstat fs;
	int64_t start, last = 0;
	uint64_t nread;
	int j;

	for (j = 0; j < RATE_NLOAD; j++)
		bl[j] = bench_load_start(j % bench_ncpu(), bc, 0);
	bench_enable(dt, bc->bc_probe, DTEVT_FUNCARGS, 0);
	bench_record(dt, 1);
	start = bench_now();
	for (j = 0; j < RATE_NLOAD; j++)
		bench_load_go(bl[j]);
	nread = take(dt, bl, nsecs, &last);
	ra->ra_busy[i] = loads_end(bl);
	bench_record(dt, 0);
	if (dt_ioctl(dt, DTIOCGFULLSTAT, &fs) == -1)
		err(1, "statistics: %s", dt_error(dt));
	dt_close(dt);
	ra->ra_rate[i] = nread * 1e3 / (last - start);
	ra->ra_lost[i] = fs.dtfs_dropped;
	ra->ra_fired += fs.dtfs_fired;
}

static int
lossless(const struct rate *ra, int n)
{
	return bench_quantile(ra->ra_lost, n, 1) == 0;
}

static void
rate_report(const struct rate *ra, int n, const char *row)
{
	const struct rate *min = NULL;
	double lost = 0;
	size_t b;
	int i;

	for (b = 0; b < RATE_NBUDGET; b++)
		if (lossless(&ra[b], n) &&
		    (min == NULL || ra[b].ra_budget < min->ra_budget))
			min = &ra[b];
	for (i = 0; i < n; i++)
		lost += ra[0].ra_lost[i];
	if (min == NULL)
		min = &ra[0];
	bench_row(row, min->ra_rate, n);
	bench_note("%s: %s %.0f MB, the loops had %.0f %% of their CPUs; "
		   "the default of 4 MB: %.2f M/s, %.4f %% lost",
	    row,
	    lossless(min, n)
		? "0 lost with a budget of"
		: "no budget was enough for 0 lost; the figure is of",
	    min->ra_budget / 1048576.0, bench_median(min->ra_busy, n),
	    bench_median(ra[0].ra_rate, n), 100 * lost / ra[0].ra_fired);
}

static void
rate(const struct bench_call *bc, const char *row)
{
	struct rate ra[RATE_NBUDGET] = { { 0 } };
	int i, n = bench_rounds(5, 1);
	size_t b;

	for (b = 0; b < RATE_NBUDGET; b++)
		ra[b].ra_budget = budgets[b];
	for (i = 0; i < n; i++)
		for (b = 0; b < RATE_NBUDGET; b++)
			rate_round(&ra[b], i, bc,
			    bench_quick ? 200000000LL : 500000000LL);
	rate_report(ra, n, row);
}

int
main(int argc, char **argv)
{
	bench_init(argc, argv);
	bench_dtd_start(&dtd);
	rate(&bench_call6, "rate6");
	rate(&bench_call0, "rate0");
	bench_dtd_stop(&dtd);
	return 0;
}
