/* SPDX-License-Identifier: ISC */
/*
 * Cost of one session with 1, 10, 100 or all probes of system calls enabled: at
 * an enabled call, at another call, and the time of ENABLE of all probes,
 * RECORD 1 and RECORD 0.
 *
 * "All" excludes the two probes of the other call.  The smaller sets have
 * entries only, so "all" also adds the hook at returns: the enabled call then
 * produces two events.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/growth.h"

#define PROBES_NCALL  400000
#define PROBES_DETACH 100000000LL /* ns to detach a hook */

static const int counts[] = { 1, 10, 100, 0 }; /* 0: all */
#define PROBES_NCOUNT (sizeof(counts) / sizeof(counts[0]))

enum {
	PR_ENABLED,
	PR_OTHER,
	PR_ENABLE,
	PR_START,
	PR_STOP,
	PR_NVALUE
};

static const struct {
	const char *va_panel;
	const char *va_name;
} values[PR_NVALUE] = {
	[PR_ENABLED] = { "probes-ns", "a call that is enabled" },
	[PR_OTHER] = { "probes-ns", "a call that is not" },
	[PR_ENABLE] = { "probes-ms", "ENABLE of all, and rings" },
	[PR_START] = { "probes-ms", "RECORD 1" },
	[PR_STOP] = { "probes-ms", "RECORD 0" },
};

static void
loop_other(uint64_t n)
{
	while (n-- > 0)
		(void)syscall(SYS_getuid);
}

static const struct bench_call other = { "getuid", NULL, loop_other };
static struct bench_dtd dtd;
static double rounds[PR_NVALUE][PROBES_NCOUNT][GROWTH_MAXROUNDS];
static uint32_t pbns[2048]; /* the enabled entry, entries, returns */
static int npbn;

/* Adds the probes of a pattern that are not in pbns yet. */
static void
add_probes(struct dt *dt, const char *pattern)
{
	struct dtioc_probe_info *pi;
	int i, n;

	if ((n = dt_lookup(dt, pattern, &pi)) <= 0)
		err(1, "%s: %s", pattern, dt_error(dt));
	for (i = 0; i < n; i++) {
		if (strcmp(pi[i].dtpi_func, other.bc_name) == 0 ||
		    (npbn > 0 && pi[i].dtpi_pbn == pbns[0]))
			continue;
		if (npbn == sizeof(pbns) / sizeof(pbns[0]))
			errx(1, "too many probes");
		pbns[npbn++] = pi[i].dtpi_pbn;
	}
	free(pi);
}

static void
find_probes(void)
{
	struct dt *dt = bench_open(&dtd, 0);

	add_probes(dt, bench_call0.bc_probe);
	add_probes(dt, "syscall:*:entry");
	add_probes(dt, "syscall:*:return");
	dt_close(dt);
}

static int
nprobes(int c)
{
	return counts[c] != 0 ? counts[c] : npbn;
}

static double
since(int64_t start)
{
	return (bench_now() - start) / 1e6;
}

static struct dt *
enable(int n)
{
	struct dt *dt = bench_open(&dtd, 0);
	int i;

	for (i = 0; i < n; i++) {
		struct dtioc_req rq = { .dtrq_pbn = pbns[i] };

		if (dt_ioctl(dt, DTIOCPRBENABLE, &rq) == -1)
			err(1, "enable: %s", dt_error(dt));
	}
	return dt;
}

/* Attaches both hooks by another session, whose filter rejects all events. */
static struct dt *
hold_hooks(void)
{
	struct dt *dt = bench_open(&dtd, 0);

	bench_filter_pid(dt, GROWTH_NOBODY);
	bench_enable(dt, "syscall:vhangup:entry", 0, 0);
	bench_enable(dt, "syscall:vhangup:return", 0, 0);
	bench_record(dt, 1);
	return dt;
}

static void
release(struct dt *dt)
{
	bench_record(dt, 0);
	dt_close(dt);
	bench_sleep(PROBES_DETACH);
}

static void
times(int c, int i)
{
	struct dt *held = hold_hooks(), *dt;
	int64_t start = bench_now();

	dt = enable(nprobes(c));
	rounds[PR_ENABLE][c][i] = since(start);
	start = bench_now();
	bench_record(dt, 1);
	rounds[PR_START][c][i] = since(start);
	start = bench_now();
	bench_record(dt, 0);
	rounds[PR_STOP][c][i] = since(start);
	dt_close(dt);
	release(held);
}

static double
cost(struct dt *dt, const struct bench_call *bc)
{
	struct growth gr;

	growth_run(&gr, &dt, dt != NULL, bc,
	    bench_quick ? PROBES_NCALL / 10 : PROBES_NCALL);
	return gr.gr_nsecs;
}

static void
costs(int c, int i)
{
	double enabled = cost(NULL, &bench_call0), off = cost(NULL, &other);
	struct dt *dt = enable(nprobes(c));

	bench_record(dt, 1);
	rounds[PR_ENABLED][c][i] = cost(dt, &bench_call0) - enabled;
	rounds[PR_OTHER][c][i] = cost(dt, &other) - off;
	release(dt);
}

static void
report(int n)
{
	char label[16];
	size_t v, c;

	for (v = 0; v < PR_NVALUE; v++)
		for (c = 0; c < PROBES_NCOUNT; c++) {
			snprintf(label, sizeof(label), "%d", nprobes(c));
			growth_point(values[v].va_panel, values[v].va_name,
			    label, nprobes(c), rounds[v][c], n);
		}
}

int
main(int argc, char **argv)
{
	size_t c;
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(5, 1);
	bench_dtd_start(&dtd);
	find_probes();
	for (i = 0; i < n; i++)
		for (c = 0; c < PROBES_NCOUNT; c++) {
			times(c, i);
			costs(c, i);
		}
	bench_dtd_stop(&dtd);
	report(n);
	return 0;
}
