/* SPDX-License-Identifier: ISC */
/*
 * The brake: stops an open when tracing takes too much of the machine.
 *
 * When: as brake.h has it, so what goes on is stopped after 1 to 3 seconds, and
 * what has ended by itself is left alone.  Two limits are looked at so: that of
 * each open, against its own bill, and that of all together.  One open a
 * window: the next one tells whether that was enough.
 *
 * Whom: each open is billed for its hits, and for the runs of the programs
 * that it keeps attached, shared with the others who do so: an open whose
 * filter lets nothing pass has its price, too.  The highest bill is stopped,
 * of about equal ones the newest.  Opens that have lifted the limit are billed
 * like others, but never stopped, and their part of the cost is nobody
 * else's.
 *
 * Processes that an open names (dt_softc_isnamed()) bear the cost of their hits,
 * as the person who named them chose.  The usual limit applies to the cost
 * without these hits, a higher limit to the whole cost.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "brake.h"
#include "conf.h"
#include "dt_cost.h"
#include "limit.h"
#include "log.h"

/* A hit's price, in runs of a program that finds nothing to record: about 110
 * ns, and 1900 with stacks, to 5 to 50 as it is far from or near to a hit. */
#define BRAKE_RUN		110 /* ns */
#define BRAKE_HIT		4
#define BRAKE_STACKS		64

#define BRAKE_EQUAL(bill, most) ((bill) >= (most) - (most) / 8)

/* [c] of all opens: without and with hits of named processes */
static unsigned int brake_past, brake_pastnamed;

void
dt_brake_reset(void)
{
	brake_past = brake_pastnamed = 0;
}

/* Shares the runs of a kind of programs among those who keep them attached; if they
 * would stay attached without the others, those need not pay. */
static void
brake_share(unsigned int kind, uint64_t runs)
{
	struct dt_softc *sc;
	unsigned int n = 0, nfree = 0;

	TAILQ_FOREACH(sc, &dt_costed, ds_costed) {
		if ((sc->ds_progs & (1ULL << kind)) == 0)
			continue;
		n++;
		nfree += sc->ds_nolimit != 0;
	}
	TAILQ_FOREACH(sc, &dt_costed, ds_costed) {
		if ((sc->ds_progs & (1ULL << kind)) == 0)
			continue;
		if (nfree == 0)
			sc->ds_bill += runs / n;
		else if (sc->ds_nolimit)
			sc->ds_bill += runs / nfree;
	}
}

static unsigned int
brake_price(const struct dt_softc *sc)
{
	return sc->ds_hasstacks ? BRAKE_STACKS : BRAKE_HIT;
}

/* Returns the bill of a slot for its hits, and for its part of what the threads
 * of interval took. */
static uint64_t
brake_hits(const struct dt_window *dw, const struct dt_softc *sc)
{
	unsigned int slot = sc->ds_slot;
	uint64_t bill = dw->dw_slots[slot].sl_excluded +
	    (dw->dw_slots[slot].sl_fired + dw->dw_slots[slot].sl_ticks) *
		brake_price(sc);

	if (dw->dw_nticks > 0)
		bill += dw->dw_tickcpu / BRAKE_RUN *
		    dw->dw_slots[slot].sl_ticks / dw->dw_nticks;
	return bill;
}

/* Adds hits to the runs that brake_share() has billed; named processes bear
 * each hit and its run. */
static void
brake_bill_open(struct dt_softc *sc, const struct dt_window *dw)
{
	uint64_t fired = 0, runs = sc->ds_bill;

	if (dw->dw_slots[sc->ds_slot].sl_gen == sc->ds_gen) {
		fired = dw->dw_slots[sc->ds_slot].sl_fired;
		sc->ds_bill += brake_hits(dw, sc);
	}
	sc->ds_billother = sc->ds_bill;
	if (dt_softc_isnamed(sc))
		sc->ds_billother -= fired * brake_price(sc) +
		    (runs < fired ? runs : fired);
}

/* Cost of the opens that have not lifted the limit, in millionths. */
struct brake_sum {
	uint64_t bs_all;
	uint64_t bs_other; /* without hits of named processes */
};

/* From hits and runs to millionths of the machine. */
static struct brake_sum
brake_bill(const struct dt_window *dw, uint64_t cost)
{
	struct brake_sum bs = { 0 };
	struct dt_softc *sc;
	uint64_t all = 0;
	unsigned int i;

	TAILQ_FOREACH(sc, &dt_costed, ds_costed)
		sc->ds_bill = 0;
	for (i = 0; i < dw->dw_nkinds; i++)
		brake_share(i, dw->dw_kinds[i].ki_runs);
	TAILQ_FOREACH(sc, &dt_costed, ds_costed) {
		brake_bill_open(sc, dw);
		all += sc->ds_bill;
	}
	TAILQ_FOREACH(sc, &dt_costed, ds_costed) {
		if (all != 0) {
			sc->ds_bill = (double)cost * sc->ds_bill / all;
			sc->ds_billother = (double)cost * sc->ds_billother /
			    all;
		}
		bs.bs_all += sc->ds_nolimit ? 0 : sc->ds_bill;
		bs.bs_other += sc->ds_nolimit ? 0 : sc->ds_billother;
	}
	return bs;
}

/* The highest bill of those whom their own limit stops, NULL: nobody. */
static struct dt_softc *
brake_choose_over(void)
{
	struct dt_softc *sc, *most = NULL;
	int over;

	TAILQ_FOREACH(sc, &dt_costed, ds_costed) {
		over = conf.cf_costlimit_open != 0 && !sc->ds_nolimit &&
		    sc->ds_bill > conf.cf_costlimit_open;
		sc->ds_overs = BRAKE_NEXT(sc->ds_overs, over);
		if (BRAKE_DUE(sc->ds_overs) &&
		    (most == NULL || sc->ds_bill > most->ds_bill))
			most = sc;
	}
	return most;
}

static uint64_t
brake_part(const struct dt_softc *sc, int all)
{
	return all ? sc->ds_bill : sc->ds_billother;
}

/* The largest by all of its cost, or without hits of named processes. */
static struct dt_softc *
brake_choose(int all)
{
	struct dt_softc *sc;
	uint64_t most = 0;

	TAILQ_FOREACH(sc, &dt_costed, ds_costed)
		if (!sc->ds_nolimit && brake_part(sc, all) > most)
			most = brake_part(sc, all);
	TAILQ_FOREACH(sc, &dt_costed, ds_costed)
		if (!sc->ds_nolimit && brake_part(sc, all) > 0 &&
		    BRAKE_EQUAL(brake_part(sc, all), most))
			return sc;
	return NULL;
}

/* The probe that is hit most, as far as the records tell; if there are none,
 * the first one stands for all. */
static void
brake_probe(const struct dt_softc *sc, char *name, size_t size)
{
	const struct dt_pcb *dp, *most = TAILQ_FIRST(&sc->ds_pcbs);
	unsigned int n = 0;
	uint32_t pbn;
	int voted = dt_votes_top(&sc->ds_votes, &pbn);

	TAILQ_FOREACH(dp, &sc->ds_pcbs, dp_snext) {
		n++;
		if (voted && dp->dp_dtp->dtp_pbn == pbn)
			most = dp;
	}
	if (most == NULL) { /* all were disabled while it recorded */
		snprintf(name, size, "no probe");
		return;
	}
	snprintf(name, size, "%s:%s:%s", most->dp_dtp->dtp_prov->dtpv_name,
	    most->dp_dtp->dtp_func, most->dp_dtp->dtp_name);
	if (n > 1)
		snprintf(name + strlen(name), size - strlen(name),
		    " (of %u probes)", n);
}

static void
brake_note(struct dt_softc *sc)
{
	char probe[120];

	brake_probe(sc, probe, sizeof(probe));
	memset(sc->ds_note, 0, sizeof(sc->ds_note));
	snprintf(sc->ds_note, sizeof(sc->ds_note),
	    "%s: %s took %.1f %% of %ld CPUs, the limit is %g %%", probe,
	    sc->ds_brakeown ? "this recording" : "tracing",
	    sc->ds_brakecost * 1e2 / DT_COST_ALL, sysconf(_SC_NPROCESSORS_ONLN),
	    sc->ds_brakelimit * 1e2 / DT_COST_ALL);
}

static void
brake_run(void *arg)
{
	struct dt_softc *sc = arg;

	atomic_store(&sc->ds_braked, 1);
	dt_sums_braked();
	dt_record_stop(sc);
}

static void
brake_done(void *arg)
{
	struct dt_softc *sc = arg;

	sc->ds_recording = 0;
	dt_cost_del(sc);
	if (sc->ds_symheld)
		dt_sym_used(sc);
	turn_job_done(&sc->ds_turn);
}

/* No command of the open is under way: it may have stopped in the meantime. */
static void
brake_job(void *arg)
{
	struct dt_softc *sc = arg;

	if (!sc->ds_recording)
		return;
	limit_refused(REFUSED_BRAKE);
	brake_note(sc);
	if (!conf.cf_private) /* whose client says it */
		log_notice("open %u: process %d of user %u is stopped: %s",
		    sc->ds_slot, (int)sc->ds_peer.pr_pid,
		    (unsigned)sc->ds_peer.pr_uid, sc->ds_note);
	dt_job_run(sc, brake_run, brake_done);
}

static void
brake_stop(struct dt_softc *sc, uint64_t cost, uint64_t limit, int isown)
{
	sc->ds_brakeown = isown;
	sc->ds_brakecost = cost;
	sc->ds_brakelimit = limit;
	turn_ask(&sc->ds_turn, brake_job);
}

void
dt_brake(const struct dt_window *dw, uint64_t cost)
{
	const struct brake_sum bs = brake_bill(dw, cost);
	const uint64_t named = conf_costlimit_named();
	const uint64_t other = conf.cf_costlimit;
	struct dt_softc *sc = brake_choose_over();

	brake_past = BRAKE_NEXT(brake_past, other != 0 && bs.bs_other > other);
	brake_pastnamed = BRAKE_NEXT(brake_pastnamed,
	    named != 0 && bs.bs_all > named);
	if (sc != NULL)
		brake_stop(sc, sc->ds_bill, conf.cf_costlimit_open, 1);
	else if (BRAKE_DUE(brake_past) && (sc = brake_choose(0)) != NULL)
		brake_stop(sc, bs.bs_other, other, 0);
	else if (BRAKE_DUE(brake_pastnamed) && (sc = brake_choose(1)) != NULL)
		brake_stop(sc, bs.bs_all, named, 0);
}
