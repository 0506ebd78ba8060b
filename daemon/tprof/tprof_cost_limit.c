/* SPDX-License-Identifier: ISC */
/*
 * Stops the open when its samples take too much of the machine, as
 * dt_cost_limit.c does with those of dt.  Most of what a sample takes is the
 * interrupt, which the kernel does not bill to the program: so it is not
 * measured, but reckoned by their number.  Hits outside of the opener's
 * namespace cost as much.
 *
 * Timers that take all of a CPU take it from this daemon, too, which then would
 * be late to stop them: so what is known to cost too much is not started.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/access/limit.h"
#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/device/cost_limit.h"
#include "daemon/tprof/tprof_softc.h"

#define BRAKE_KICKS 4 /* of a window, which so is half a second */
/* ns of a CPU that a sample takes: bench/tprof finds 2 to 3 thousand at 10,000
 * a second, and timers of virtual machines take more when there are many. */
#define BRAKE_PRICE 5000

/* The window; control thread. */
static uint64_t brake_from;  /* hits at its begin */
static int64_t brake_since;  /* CLOCK_MONOTONIC of that */
static unsigned int brake_n; /* kicks since */
static unsigned int brake_past;

static atomic_uint_fast64_t brake_stops; /* any thread */

static uint64_t
brake_hits(void)
{
	const struct tprof_count *c;
	uint64_t n = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < tprof_ncpu; cpu++) {
		c = tprof_count(cpu);
		n += __atomic_load_n(&c->tc_taken, __ATOMIC_RELAXED) +
		    __atomic_load_n(&c->tc_excluded, __ATOMIC_RELAXED);
	}
	return n;
}

/* Of all tracing, or of an open: there is only one; 0: none. */
static uint64_t
brake_limit(void)
{
	if (conf.cf_costlimit == 0 ||
	    (conf.cf_costlimit_open != 0 &&
		conf.cf_costlimit_open < conf.cf_costlimit))
		return conf.cf_costlimit_open;
	return conf.cf_costlimit;
}

static void
brake_stop(double share, uint64_t limit, long ncpu)
{
	const struct tprof_softc *sc = &tprof_softc;
	char note[WIRE_MAXNOTE];

	snprintf(note, sizeof(note),
	    "samples took about %.1f %% of %ld CPUs, the limit is %g %%",
	    share * 1e2 / BRAKE_ALL, ncpu, limit * 1e2 / BRAKE_ALL);
	brake_past = 0;
	atomic_fetch_add(&brake_stops, 1);
	limit_refused(REFUSED_BRAKE);
	if (!conf.cf_private) /* whose client says it */
		log_notice("tprof: process %d of user %u is stopped: %s",
		    (int)sc->ts_peer.pr_pid, (unsigned)sc->ts_peer.pr_uid,
		    note);
	tprof_call_end(note);
}

void
tprof_brake_tick(int anew)
{
	int64_t now = clock_monotonic(), all;
	uint64_t hits, limit = brake_limit();
	long ncpu = sysconf(_SC_NPROCESSORS_ONLN);
	double share;

	if (!anew && ++brake_n < BRAKE_KICKS)
		return;
	hits = brake_hits();
	all = (now - brake_since) * ncpu;
	share = (double)(hits - brake_from) * BRAKE_PRICE * BRAKE_ALL / all;
	brake_past = anew ? 0
			  : BRAKE_NEXT(brake_past, limit != 0 && share > limit);
	brake_from = hits;
	brake_since = now;
	brake_n = 0;
	if (BRAKE_DUE(brake_past))
		brake_stop(share, limit, ncpu);
}

int
tprof_brake_refuses(uint64_t rate, char *text)
{
	double share = (double)rate * BRAKE_PRICE / 1e9 * BRAKE_ALL;
	uint64_t limit = brake_limit();

	if (limit == 0 || share <= limit)
		return 0;
	snprintf(text, IOCTL_TEXT,
	    "%llu samples a second of each CPU would take about %.1f %% of it, "
	    "the limit is %g %%",
	    (unsigned long long)rate, share * 1e2 / BRAKE_ALL,
	    limit * 1e2 / BRAKE_ALL);
	limit_refused(REFUSED_BRAKE);
	return EINVAL;
}

uint64_t
tprof_brake_stops(void)
{
	return atomic_load(&brake_stops);
}
