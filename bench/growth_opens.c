/* SPDX-License-Identifier: ISC */
/*
 * Cost of a system call, and rate of delivered events, with 1, 4, 16 and 64
 * recording sessions: all sessions record the call, or one session does and the
 * filters of the others, by process or by name, reject it.  The first case is
 * repeated with the smallest rings, because the default rings of 64 sessions
 * exceed the caches.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "bench/growth.h"

#define OPENS_NCALL 400000.0 /* with one session; fewer with more */

static const int counts[] = { 1, 4, 16, 64 };
#define OPENS_NCOUNT (sizeof(counts) / sizeof(counts[0]))

static const struct mode {
	const char *mo_name;
	int mo_small; /* smallest rings */
	int mo_one;   /* one session records, the others filter */
	struct dtioc_filter mo_filter;
} modes[] = {
	{ "all record it", 0, 0, { 0 } },
	{ "all record it, 64 kB rings", 1, 0, { 0 } },
	{ "one does, others: a process", 0, 1,
	    { .dtfi_set = DTFI_PID, .dtfi_pid = GROWTH_NOBODY } },
	{ "one does, others: a name", 0, 1,
	    { .dtfi_set = DTFI_COMM, .dtfi_comm = "nobody" } },
};
#define OPENS_NMODE (sizeof(modes) / sizeof(modes[0]))

/* Sessions with the default budget, and with the smallest. */
static struct dt *sets[2][GROWTH_MAXOPEN];
static double nsecs[OPENS_NMODE][OPENS_NCOUNT][GROWTH_MAXROUNDS];
static double rates[OPENS_NMODE][OPENS_NCOUNT][GROWTH_MAXROUNDS];
static double lost[OPENS_NMODE][OPENS_NCOUNT][GROWTH_MAXROUNDS];

static void
set_filter(struct dt *dt, const struct dtioc_filter *fi)
{
	struct dtioc_filter copy = *fi;

	if (dt_ioctl(dt, DTIOCSFILTER, &copy) == -1)
		err(1, "filter: %s", dt_error(dt));
}

/* Increases the number of recording sessions until all record. */
static void
mode_round(int m, int i)
{
	const struct bench_call *bc = &bench_call0;
	const struct mode *mo = &modes[m];
	struct dt **dts = sets[mo->mo_small];
	uint64_t ncalls, want;
	struct growth gr;
	size_t c;
	int n = 0;

	for (c = 1; c < GROWTH_MAXOPEN; c++)
		set_filter(dts[c], &mo->mo_filter);
	for (c = 0; c < OPENS_NCOUNT; c++) {
		while (n < counts[c])
			bench_record(dts[n++], 1);
		ncalls = OPENS_NCALL / (mo->mo_one ? 1 : 1 + n / 4.0);
		if (bench_quick)
			ncalls /= 10;
		growth_run(&gr, dts, n, bc, ncalls);
		want = ncalls * (mo->mo_one ? 1 : n);
		nsecs[m][c][i] = gr.gr_nsecs;
		rates[m][c][i] = gr.gr_rate;
		lost[m][c][i] = gr.gr_nread < want
		    ? 100 * (1 - gr.gr_nread / want)
		    : 0;
	}
	while (n > 0)
		bench_record(dts[--n], 0);
}

static void
report(int n)
{
	char label[16];
	size_t m, c;

	for (m = 0; m < OPENS_NMODE; m++)
		for (c = 0; c < OPENS_NCOUNT; c++) {
			snprintf(label, sizeof(label), "%d", counts[c]);
			growth_point("opens-ns", modes[m].mo_name, label,
			    counts[c], nsecs[m][c], n);
			growth_point("opens-rate", modes[m].mo_name, label,
			    counts[c], rates[m][c], n);
			growth_point("opens-lost", modes[m].mo_name, label,
			    counts[c], lost[m][c], n);
		}
}

int
main(int argc, char **argv)
{
	static struct bench_dtd dtd;
	struct growth none;
	size_t m, c;
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(5, 1);
	bench_dtd_start(&dtd);
	for (i = 0; i < 2 * GROWTH_MAXOPEN; i++) {
		sets[i % 2][i / 2] = bench_open(&dtd, i % 2);
		bench_enable(sets[i % 2][i / 2], bench_call0.bc_probe, 0, 0);
	}
	for (i = 0; i < n; i++) {
		growth_run(&none, NULL, 0, &bench_call0, OPENS_NCALL);
		for (m = 0; m < OPENS_NMODE; m++) {
			mode_round(m, i);
			for (c = 0; c < OPENS_NCOUNT; c++)
				nsecs[m][c][i] -= none.gr_nsecs;
		}
	}
	for (i = 0; i < 2 * GROWTH_MAXOPEN; i++)
		dt_close(sets[i % 2][i / 2]);
	bench_dtd_stop(&dtd);
	report(n);
	return 0;
}
