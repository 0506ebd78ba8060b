/* SPDX-License-Identifier: ISC */
/*
 * Time from RECORD to the first event, with the hook already attached by
 * another session, and with the hook attached a second after it was detached.
 * The kernel delays programs that attach soon after a detach.
 *
 * A process makes a call every 100 microseconds, so that there is always an
 * event.
 */
#include <err.h>
#include <signal.h>

#include "bench/bench.h"

#define START_MAXROUNDS 32
#define START_GAP	100000LL     /* ns between two calls */
#define START_DETACH	1000000000LL /* ns after the detach */
#define START_WAITMS	5000

static struct bench_dtd dtd;

static struct dt *
ready(pid_t pid)
{
	struct dt *dt = bench_open(&dtd, 0);

	bench_filter_pid(dt, pid);
	bench_enable(dt, bench_call0.bc_probe, 0, 0);
	return dt;
}

/* Starts a recording, returns the ms to its first event, and stops. */
static double
first_event(pid_t pid)
{
	struct dt *dt = ready(pid);
	struct dt_event ev;
	int64_t start = bench_now();
	double ms;

	bench_record(dt, 1);
	if (dt_next(dt, &ev, START_WAITMS) != 1)
		err(1, "dt_next: %s", dt_error(dt));
	ms = (bench_now() - start) / 1e6;
	bench_record(dt, 0);
	dt_close(dt);
	return ms;
}

int
main(int argc, char **argv)
{
	double shared[START_MAXROUNDS], anew[START_MAXROUNDS];
	struct dt *other;
	pid_t pid;
	int i, n;

	bench_init(argc, argv);
	n = bench_rounds(7, 3);
	bench_dtd_start(&dtd);
	pid = bench_caller(START_GAP, 0);
	for (i = 0; i < n; i++) {
		other = ready(1);
		bench_record(other, 1);
		shared[i] = first_event(pid);
		bench_record(other, 0);
		dt_close(other);
		bench_sleep(START_DETACH);
		anew[i] = first_event(pid);
	}
	bench_wait(pid, SIGKILL);
	bench_dtd_stop(&dtd);
	bench_row("start-shared", shared, n);
	bench_row("start-anew", anew, n);
	return 0;
}
