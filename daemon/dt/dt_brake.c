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

static unsigned int brake_past; /* [c] of all together */

void
dt_brake_reset(void)
{
	brake_past = 0;
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

/* Returns the bill of a slot for its hits, and for its part of what the threads
 * of interval took. */
static uint64_t
brake_hits(const struct dt_window *dw, const struct dt_softc *sc)
{
	unsigned int slot = sc->ds_slot;
	unsigned int price = sc->ds_hasstacks ? BRAKE_STACKS : BRAKE_HIT;
	uint64_t bill = dw->dw_slots[slot].sl_excluded +
	    (dw->dw_slots[slot].sl_fired + dw->dw_slots[slot].sl_ticks) * price;

	if (dw->dw_nticks > 0)
		bill += dw->dw_tickcpu / BRAKE_RUN *
		    dw->dw_slots[slot].sl_ticks / dw->dw_nticks;
	return bill;
}

/* From hits and runs to millionths of the machine.  Returns the part of the
 * cost that the opens under the limit have. */
static uint64_t
brake_bill(const struct dt_window *dw, uint64_t cost)
{
	uint64_t all = 0, limited = 0;
	struct dt_softc *sc;
	unsigned int i;

	TAILQ_FOREACH(sc, &dt_costed, ds_costed) {
		sc->ds_bill = dw->dw_slots[sc->ds_slot].sl_gen == sc->ds_gen
		    ? brake_hits(dw, sc)
		    : 0;
	}
	for (i = 0; i < dw->dw_nkinds; i++)
		brake_share(i, dw->dw_kinds[i].ki_runs);
	TAILQ_FOREACH(sc, &dt_costed, ds_costed)
		all += sc->ds_bill;
	TAILQ_FOREACH(sc, &dt_costed, ds_costed) {
		if (all != 0)
			sc->ds_bill = (double)cost * sc->ds_bill / all;
		limited += sc->ds_nolimit ? 0 : sc->ds_bill;
	}
	return limited;
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

static struct dt_softc *
brake_choose(void)
{
	struct dt_softc *sc;
	uint64_t most = 0;

	TAILQ_FOREACH(sc, &dt_costed, ds_costed)
		if (!sc->ds_nolimit && sc->ds_bill > most)
			most = sc->ds_bill;
	TAILQ_FOREACH(sc, &dt_costed, ds_costed)
		if (!sc->ds_nolimit && sc->ds_bill > 0 &&
		    BRAKE_EQUAL(sc->ds_bill, most))
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
	    (sc->ds_brakeown ? conf.cf_costlimit_open : conf.cf_costlimit) *
		1e2 / DT_COST_ALL);
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

void
dt_brake(const struct dt_window *dw, uint64_t cost)
{
	uint64_t billed = brake_bill(dw, cost);
	struct dt_softc *sc = brake_choose_over();
	int above = conf.cf_costlimit != 0 && billed > conf.cf_costlimit;

	brake_past = BRAKE_NEXT(brake_past, above);
	if (sc != NULL) {
		sc->ds_brakeown = 1;
		sc->ds_brakecost = sc->ds_bill;
	} else if (BRAKE_DUE(brake_past) && (sc = brake_choose()) != NULL) {
		sc->ds_brakeown = 0;
		sc->ds_brakecost = billed;
	} else
		return;
	turn_ask(&sc->ds_turn, brake_job);
}
