/* SPDX-License-Identifier: ISC */
/*
 * Implements growth.h.  The time of a call is CPU time, so that other
 * processes do not influence it.  Time that dtd and the reader take from the
 * load's CPU is therefore excluded; bench/cost.c measures it.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "bench/growth.h"

#define GROWTH_QUIETMS 20 /* ms without an event: all have arrived */

/* Reads all available events of a session. */
static uint64_t
take_open(struct dt *dt, double *nbytes)
{
	struct dt_event ev;
	uint64_t n = 0;
	int r;

	while ((r = dt_next(dt, &ev, 0)) == 1) {
		*nbytes += DT_RING_SPAN(ev.ev_rec->dr_length);
		n++;
	}
	/* ENODATA: the end of an earlier recording */
	if (r == -1 && errno != ENODATA)
		err(1, "dt_next: %s", dt_error(dt));
	return n;
}

static uint64_t
take_all(struct dt *const *dts, int ndt, double *nbytes)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < ndt; i++)
		n += take_open(dts[i], nbytes);
	return n;
}

/*
 * Reads until the load has ended and no more events arrive.  Returns the time
 * of the last event.
 */
static int64_t
take(struct growth *gr, struct dt *const *dts, int ndt,
    const struct bench_load *bl)
{
	struct pollfd pfds[GROWTH_MAXOPEN];
	int64_t last = bench_now();
	double nbytes = 0;
	uint64_t n;
	int i, done;

	for (i = 0; i < ndt; i++)
		pfds[i] = (struct pollfd){ dt_fd(dts[i]), POLLIN, 0 };
	for (;;) {
		done = bench_load_done(bl);
		n = take_all(dts, ndt, &nbytes);
		gr->gr_nread += n;
		if (n > 0)
			last = bench_now();
		else if (poll(pfds, ndt, GROWTH_QUIETMS) == 0 && done)
			break;
	}
	gr->gr_bytes = gr->gr_nread > 0 ? nbytes / gr->gr_nread : 0;
	return last;
}

void
growth_run(struct growth *gr, struct dt *const *dts, int ndt,
    const struct bench_call *bc, uint64_t ncalls)
{
	struct bench_load *bl = bench_load_start(bench_ncpu() - 1, bc, ncalls);
	int64_t start = bench_now(), last;

	*gr = (struct growth){ 0 };
	bench_load_go(bl);
	if (ndt > 0) {
		last = take(gr, dts, ndt, bl);
		gr->gr_rate = gr->gr_nread * 1e3 / (last - start);
	}
	while (!bench_load_done(bl))
		bench_sleep(1000000);
	gr->gr_nsecs = (double)bl->bl_cputime / bl->bl_calls;
	bench_load_end(bl);
}

void
growth_point(const char *panel, const char *series, const char *label, double x,
    const double *rounds, int n)
{
	printf("%s\t%s\t%s\t%g\t%.6g\t%.6g\t%.6g\n", panel, series, label, x,
	    bench_median(rounds, n), bench_quantile(rounds, n, 0.25),
	    bench_quantile(rounds, n, 0.75));
}
