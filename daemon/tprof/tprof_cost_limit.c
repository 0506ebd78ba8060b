/* SPDX-License-Identifier: ISC */
/*
 * Stops the session when its samples exceed the cost limit, as dt_cost_limit.c
 * does for dt.  Most of a sample's cost is the interrupt, which the kernel does
 * not attribute to the program: so the cost is estimated from the number of
 * samples.  Hits outside the client's namespace cost as much.
 *
 * Timers that use up a CPU would also delay this daemon and so their own end:
 * settings that are known to cost too much are therefore refused.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/access/limit.h"
#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/device/cost_limit.h"
#include "daemon/tprof/tprof_softc.h"

#define COST_LIMIT_KICKS 4 /* per window, so half a second */
/*
 * Time of a CPU per sample, ns: bench/tprof measures 2,000 to 3,000 at 10,000
 * per second, and timers of virtual machines take more when there are many.
 */
#define COST_LIMIT_PRICE 5000

/* The window.  Control thread. */
static uint64_t cost_from;  /* hits at the beginning */
static int64_t cost_since;  /* beginning, CLOCK_MONOTONIC */
static unsigned int cost_n; /* kicks since then */
static unsigned int cost_past;

static atomic_uint_fast64_t cost_stops; /* any thread */

static uint64_t
cost_hits(void)
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

/*
 * Returns the limit of all tracing or of a session, of which there is only one;
 * 0: none.
 */
static uint64_t
cost_limit(void)
{
	if (conf.cf_costlimit == 0 ||
	    (conf.cf_costlimit_open != 0 &&
		conf.cf_costlimit_open < conf.cf_costlimit))
		return conf.cf_costlimit_open;
	return conf.cf_costlimit;
}

static void
cost_stop(double share, uint64_t limit, long ncpu)
{
	const struct tprof_softc *sc = &tprof_softc;
	char note[WIRE_MAXNOTE];

	snprintf(note, sizeof(note),
	    "samples took about %.1f %% of %ld CPUs, the limit is %g %%",
	    share * 1e2 / COST_LIMIT_ALL, ncpu, limit * 1e2 / COST_LIMIT_ALL);
	cost_past = 0;
	atomic_fetch_add(&cost_stops, 1);
	limit_refused(REFUSED_COST);
	if (!conf.cf_private) /* its client reports it */
		log_notice("tprof: process %d of user %u is stopped: %s",
		    (int)sc->tps_peer.peer_pid, (unsigned)sc->tps_peer.peer_uid,
		    note);
	tprof_end(note);
}

void
tprof_cost_limit_tick(int isfirst)
{
	int64_t now = clock_monotonic(), all;
	uint64_t hits, limit = cost_limit();
	long ncpu = sysconf(_SC_NPROCESSORS_ONLN);
	double share;

	if (!isfirst && ++cost_n < COST_LIMIT_KICKS)
		return;
	hits = cost_hits();
	all = (now - cost_since) * ncpu;
	share = (double)(hits - cost_from) * COST_LIMIT_PRICE * COST_LIMIT_ALL /
	    all;
	cost_past = isfirst
	    ? 0
	    : COST_LIMIT_NEXT(cost_past, limit != 0 && share > limit);
	cost_from = hits;
	cost_since = now;
	cost_n = 0;
	if (COST_LIMIT_DUE(cost_past))
		cost_stop(share, limit, ncpu);
}

int
tprof_cost_limit_refuses(uint64_t rate, struct reason *rs)
{
	double share = (double)rate * COST_LIMIT_PRICE / 1e9 * COST_LIMIT_ALL;
	uint64_t limit = cost_limit();

	if (limit == 0 || share <= limit)
		return 0;
	reason_set(rs,
	    "%llu samples a second of each CPU would take about %.1f %% of it, "
	    "the limit is %g %%",
	    (unsigned long long)rate, share * 1e2 / COST_LIMIT_ALL,
	    limit * 1e2 / COST_LIMIT_ALL);
	limit_refused(REFUSED_COST);
	return EINVAL;
}

uint64_t
tprof_cost_limit_stops(void)
{
	return atomic_load(&cost_stops);
}
