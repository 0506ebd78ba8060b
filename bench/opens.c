/* SPDX-License-Identifier: ISC */
/*
 * Cost of additional sessions that record nothing: one session records all
 * calls of a load, and the filters of the others reject them.  The added cost
 * with 16 of them should be about the cost with one.
 */
#include <err.h>

#include "bench/bench.h"

#define OPENS_MAXROUNDS 32
#define OPENS_MANY	16
#define OPENS_BUDGET	(128 << 10) /* of sessions that record nothing */
#define OPENS_NOBODY	1	    /* a process other than the load */
#define OPENS_QUIETMS	20

static struct bench_dtd dtd;

static double
run(struct dt *dt, const struct bench_call *bc, uint64_t n)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, n);
	struct dt_event ev;

	bench_load_go(bl);
	if (dt != NULL)
		while (dt_next(dt, &ev, OPENS_QUIETMS) == 1 ||
		    !bench_load_done(bl))
			;
	return bench_load_end(bl);
}

/* Returns the ns per call with a recording session and nfiltered others. */
static double
traced(const struct bench_call *bc, int nfiltered, uint64_t n)
{
	struct dt *filtered[OPENS_MANY], *dt = bench_open(&dtd, 0);
	double nsecs;
	int i;

	bench_enable(dt, bc->bc_probe, DTEVT_FUNCARGS, 0);
	for (i = 0; i < nfiltered; i++) {
		filtered[i] = bench_open(&dtd, OPENS_BUDGET);
		bench_filter_pid(filtered[i], OPENS_NOBODY);
		bench_enable(filtered[i], bc->bc_probe, DTEVT_FUNCARGS, 0);
		bench_record(filtered[i], 1);
	}
	bench_record(dt, 1);
	nsecs = run(dt, bc, n);
	for (i = 0; i < nfiltered; i++)
		dt_close(filtered[i]);
	bench_record(dt, 0);
	dt_close(dt);
	return nsecs;
}

int
main(int argc, char **argv)
{
	const struct bench_call *bc = &bench_call6;
	double one[OPENS_MAXROUNDS], two[OPENS_MAXROUNDS];
	double many[OPENS_MAXROUNDS], none;
	uint64_t ncalls;
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(11, 3);
	ncalls = bench_quick ? 200000 : 1000000;
	bench_dtd_start(&dtd);
	for (i = 0; i < n; i++) {
		one[i] = traced(bc, 0, ncalls);
		two[i] = traced(bc, 1, ncalls);
		many[i] = traced(bc, OPENS_MANY, ncalls);
		bench_sleep(100000000); /* wait for the hook to be detached */
		none = run(NULL, bc, ncalls);
		one[i] -= none;
		two[i] -= none;
		many[i] -= none;
	}
	bench_dtd_stop(&dtd);
	bench_row_peer("opens", many, two, n);
	bench_note("one session adds %.0f ns, with %d others that record "
		   "nothing %.0f ns",
	    bench_median(one, n), OPENS_MANY, bench_median(many, n));
	return 0;
}
