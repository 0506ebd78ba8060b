/* SPDX-License-Identifier: ISC */
/*
 * Checks that the profile probe ticks at the requested rate on busy CPUs.
 * Counts ticks with stacks, as in a profile, between the first and the last
 * tick of each CPU in a window that begins after the clocks were started.
 * Ticks that hit the daemon or this program count, too.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

#define TICKS_MAXROUNDS 8
#define TICKS_MAXCPU	1024
#define TICKS_BEGIN	100000000LL /* ns from RECORD to the window */
#define TICKS_WAITMS	200
/* a lost event would count as a missing tick */
#define TICKS_BUDGET (16U << 20)

static const int rates[] = { 99, 997, 4999 };
static struct bench_dtd dtd;

static void
spin(uint64_t n)
{
	volatile uint64_t i;

	for (i = 0; i < 1000 * n; i++)
		;
}

static const struct bench_call spinning = { "spin", NULL, spin };

/* Ticks of one CPU. */
struct clock {
	uint64_t cl_n;	   /* ticks after the first */
	uint64_t cl_first; /* ns */
	uint64_t cl_last;
};

static void
clock_tick(struct clock *cl, uint64_t time)
{
	if (cl->cl_first == 0)
		cl->cl_first = time;
	else
		cl->cl_n++;
	cl->cl_last = time;
}

static void
watch(struct dt *dt, struct clock *cl, uint64_t begin, uint64_t end)
{
	struct dt_event ev;
	uint64_t time;
	int r;

	for (;;) {
		r = dt_next(dt, &ev, TICKS_WAITMS);
		if (r == -1)
			err(1, "dt_next: %s", dt_error(dt));
		if (r == 1 && ev.ev_cpu < TICKS_MAXCPU) {
			time = ev.ev_rec->dr_time;
			if (time >= begin && time < end)
				clock_tick(&cl[ev.ev_cpu], time);
		}
		if ((uint64_t)bench_now() > end + TICKS_WAITMS * 1000000ULL)
			return;
	}
}

/*
 * Returns the percentage of periods, between the first and the last tick of
 * each CPU, that ended with a tick.
 */
static double
share(const struct clock *cl, int ncpu, uint64_t period, uint64_t nsecs)
{
	double want = 0, n = 0;
	int i;

	for (i = 0; i < ncpu; i++) {
		n += cl[i].cl_n;
		/* a CPU with hardly any ticks counts in full */
		if (cl[i].cl_last - cl[i].cl_first < nsecs / 2)
			want += nsecs / period;
		else
			want += (double)(cl[i].cl_last - cl[i].cl_first) /
			    period;
	}
	return 100 * n / want;
}

static double
ticks(int hz, uint64_t nsecs)
{
	static struct clock cl[TICKS_MAXCPU];
	int self = 1, i, ncpu = bench_ncpu();
	struct bench_load *bl[TICKS_MAXCPU];
	struct dt *dt = bench_open(&dtd, TICKS_BUDGET);
	uint64_t begin, period = 1000000000 / hz;

	memset(cl, 0, sizeof(cl));
	for (i = 0; i < ncpu; i++)
		bl[i] = bench_load_start(i, &spinning, 0);
	if (dt_ioctl(dt, DTIOCSELF, &self) == -1)
		err(1, "self: %s", dt_error(dt));
	bench_enable(dt, "profile:hz:97", DTEVT_KSTACK | DTEVT_USTACK, period);
	for (i = 0; i < ncpu; i++)
		bench_load_go(bl[i]);
	bench_record(dt, 1);
	begin = bench_now() + TICKS_BEGIN;
	watch(dt, cl, begin, begin + nsecs);
	bench_record(dt, 0);
	dt_close(dt);
	for (i = 0; i < ncpu; i++) {
		bench_load_stop(bl[i]);
		bench_load_end(bl[i]);
	}
	return share(cl, ncpu, period, nsecs);
}

int
main(int argc, char **argv)
{
	double percent[sizeof(rates) / sizeof(rates[0])][TICKS_MAXROUNDS];
	char row[32];
	size_t r;
	int i, n;

	bench_init(argc, argv);
	if (bench_ncpu() > TICKS_MAXCPU)
		errx(1, "more than %d CPUs", TICKS_MAXCPU);
	n = bench_rounds(3, 1);
	bench_dtd_start(&dtd);
	for (i = 0; i < n; i++)
		for (r = 0; r < sizeof(rates) / sizeof(rates[0]); r++)
			percent[r][i] = ticks(rates[r],
			    bench_quick ? 500000000 : 2000000000);
	bench_dtd_stop(&dtd);
	for (r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
		snprintf(row, sizeof(row), "ticks%d", rates[r]);
		bench_row(row, percent[r], n);
	}
	return 0;
}
