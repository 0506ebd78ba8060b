/* SPDX-License-Identifier: ISC */
/*
 * Cost of records by size: bytes in the ring, time added to the call, and rate
 * of delivered events, from the header alone to a record with both stacks.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/growth.h"

#define SIZE_NCALL 400000

/* Calls with 1 to 5 arguments that fail immediately. */
#define LOOP(name, ...) \
	static void loop_##name(uint64_t n) \
	{ \
		while (n-- > 0) \
			(void)syscall(SYS_##name, __VA_ARGS__); \
	} \
	static const struct bench_call call_##name = { #name, \
		"syscall:" #name ":entry", loop_##name }

LOOP(close, -1L);
LOOP(listen, -1L, 2L);
LOOP(lseek, -1L, 2L, 3L);
LOOP(fadvise64, -1L, 2L, 3L, 4L);
LOOP(setsockopt, -1L, 2L, 3L, 4L, 5L);

static const struct bench_call *const calls[] = { &bench_call0, &call_close,
	&call_listen, &call_lseek, &call_fadvise64, &call_setsockopt,
	&bench_call6 };
#define SIZE_NCALLS (sizeof(calls) / sizeof(calls[0]))

static const struct call_paths {
	const char *sh_series;
	const char *sh_name;
	unsigned int sh_nargs; /* index in calls */
	unsigned int sh_flags; /* DTEVT_* */
	const char *sh_probe;  /* NULL: the call's entry */
} shapes[] = {
	{ "values", "head", 0, 0, NULL },
	{ "values", "1 argument", 1, DTEVT_FUNCARGS, NULL },
	{ "values", "2 arguments", 2, DTEVT_FUNCARGS, NULL },
	{ "values", "3 arguments", 3, DTEVT_FUNCARGS, NULL },
	{ "values", "4 arguments", 4, DTEVT_FUNCARGS, NULL },
	{ "values", "5 arguments", 5, DTEVT_FUNCARGS, NULL },
	{ "values", "6 arguments", 6, DTEVT_FUNCARGS, NULL },
	{ "values", "return", 0, 0, "syscall:getppid:return" },
	{ "values", "name", 0, DTEVT_EXECNAME, NULL },
	{ "values", "6 arguments, name", 6, DTEVT_FUNCARGS | DTEVT_EXECNAME,
	    NULL },
	{ "with stacks", "user stack", 0, DTEVT_USTACK, NULL },
	{ "with stacks", "kernel stack", 0, DTEVT_KSTACK, NULL },
	{ "with stacks", "both stacks", 0, DTEVT_KSTACK | DTEVT_USTACK, NULL },
	{ "with stacks", "all of it", 6,
	    DTEVT_FUNCARGS | DTEVT_EXECNAME | DTEVT_KSTACK | DTEVT_USTACK,
	    NULL },
};
#define SIZE_NSHAPE (sizeof(shapes) / sizeof(shapes[0]))

static struct bench_dtd dtd;
static double nsecs[SIZE_NSHAPE][GROWTH_MAXROUNDS];
static double rates[SIZE_NSHAPE][GROWTH_MAXROUNDS];
static double lost[SIZE_NSHAPE][GROWTH_MAXROUNDS];
static double bytes[SIZE_NSHAPE][GROWTH_MAXROUNDS];

static void
shape_round(int s, int i, double none, uint64_t ncalls)
{
	const struct call_paths *sh = &shapes[s];
	const struct bench_call *bc = calls[sh->sh_nargs];
	struct dt *dt = bench_open(&dtd, 0);
	struct growth gr;

	bench_enable(dt, sh->sh_probe != NULL ? sh->sh_probe : bc->bc_probe,
	    sh->sh_flags, 0);
	bench_record(dt, 1);
	growth_run(&gr, &dt, 1, bc, ncalls);
	bench_record(dt, 0);
	dt_close(dt);
	nsecs[s][i] = gr.gr_nsecs - none;
	rates[s][i] = gr.gr_rate;
	bytes[s][i] = gr.gr_bytes;
	lost[s][i] = gr.gr_nread < ncalls ? 100 * (1 - gr.gr_nread / ncalls)
					  : 0;
}

static void
report(int n)
{
	static const struct {
		const char *panel;
		double (*values)[GROWTH_MAXROUNDS];
	} panels[] = { { "size-ns", nsecs }, { "size-rate", rates },
		{ "size-lost", lost }, { "size-bytes", bytes } };
	size_t p, s;

	for (p = 0; p < sizeof(panels) / sizeof(panels[0]); p++)
		for (s = 0; s < SIZE_NSHAPE; s++)
			growth_point(panels[p].panel, shapes[s].sh_series,
			    shapes[s].sh_name, bench_median(bytes[s], n),
			    panels[p].values[s], n);
}

int
main(int argc, char **argv)
{
	uint64_t ncalls;
	double none[SIZE_NCALLS];
	struct growth gr;
	size_t c, s;
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(5, 1);
	ncalls = bench_quick ? SIZE_NCALL / 10 : SIZE_NCALL;
	bench_dtd_start(&dtd);
	for (i = 0; i < n; i++) {
		bench_sleep(100000000); /* wait for the hook to be detached */
		for (c = 0; c < SIZE_NCALLS; c++) {
			growth_run(&gr, NULL, 0, calls[c], ncalls);
			none[c] = gr.gr_nsecs;
		}
		for (s = 0; s < SIZE_NSHAPE; s++)
			shape_round(s, i, none[shapes[s].sh_nargs], ncalls);
	}
	bench_dtd_stop(&dtd);
	report(n);
	return 0;
}
