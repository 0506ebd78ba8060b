/* SPDX-License-Identifier: ISC */
/*
 * The cost limit: stops a session when tracing takes too much of the machine.
 *
 * When: by the rules of cost_limit.h, so a lasting excess is stopped after 1 to
 * 3 seconds, and one that has ended is ignored. Two limits are checked: each
 * session against its own bill, and all sessions together. A window stops
 * sessions of one user only; the next window shows whether that was enough.
 *
 * Which: each session is billed for its hits and for its share of the runs of
 * the programs that it keeps attached, so a session whose filter passes nothing
 * has a cost, too. Sessions that have lifted the limit are billed likewise but
 * never stopped, and their part of the cost is not charged to others.
 *
 * The limit of all tracing adds bills up by user, so that many small recordings
 * of one user do not stop a larger one of another user. CPU time that dtd
 * spends for a user with recordings (charge.h) is part of the user's sum. The
 * limit stops the largest sessions of the user with the largest sum, the newest
 * of about equal ones, until their bills make up the excess. Root's sessions
 * are stopped only if root's sum exceeds the limit by itself.
 *
 * Processes that a session names (dt_settings_isnamed()) bear the cost of their
 * hits, as the user who named them chose. The usual limit applies to the cost
 * without these hits, a higher limit to the whole cost.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/access/charge.h"
#include "daemon/access/limit.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/device/cost_limit.h"
#include "daemon/device/op.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/dt_record.h"

/* A hit's price, in runs of a program that finds nothing to record: about 110
 * ns, and 1900 with stacks, to 5 to 50 as it is far from or near to a hit. */
#define COST_LIMIT_RUN		     110 /* ns */
#define COST_LIMIT_HIT		     4
#define COST_LIMIT_STACKS	     64

#define COST_LIMIT_EQUAL(bill, most) ((bill) >= (most) - (most) / 8)

/* [c] of all sessions: without and with hits of named processes */
static unsigned int dt_limit_past, dt_limit_pastnamed;

void
dt_cost_limit_reset(void)
{
	dt_limit_past = dt_limit_pastnamed = 0;
}

/*
 * Divides the runs of a kind of programs among the sessions that keep them
 * attached.  If some of these have lifted the limit, the programs would stay
 * attached anyway, and only these sessions are billed.
 */
static void
dt_limit_share(unsigned int kind, uint64_t runs)
{
	struct dt_costs *co;
	unsigned int n = 0, nfree = 0;

	TAILQ_FOREACH(co, &dt_costed, dco_entry) {
		if ((co->dco_progs & (1ULL << kind)) == 0)
			continue;
		n++;
		nfree += co->dco_nolimit != 0;
	}
	TAILQ_FOREACH(co, &dt_costed, dco_entry) {
		if ((co->dco_progs & (1ULL << kind)) == 0)
			continue;
		if (nfree == 0)
			co->dco_bill += runs / n;
		else if (co->dco_nolimit)
			co->dco_bill += runs / nfree;
	}
}

static unsigned int
dt_limit_price(const struct dt_costs *co)
{
	return co->dco_hasstacks ? COST_LIMIT_STACKS : COST_LIMIT_HIT;
}

/* Returns the bill of a slot for its hits, and for its part of what the threads
 * of interval took. */
static uint64_t
dt_limit_hits(const struct dt_window *dw, const struct dt_costs *co)
{
	unsigned int slot = co->dco_client->dcl_slot;
	uint64_t bill = dw->dw_slots[slot].sl_excluded +
	    (dw->dw_slots[slot].sl_fired + dw->dw_slots[slot].sl_ticks) *
		dt_limit_price(co);

	if (dw->dw_nticks > 0)
		bill += dw->dw_tickcpu / COST_LIMIT_RUN *
		    dw->dw_slots[slot].sl_ticks / dw->dw_nticks;
	return bill;
}

/* Adds hits to the runs that dt_limit_share() has billed; named processes bear
 * each hit and its run. */
static void
dt_limit_bill_session(struct dt_costs *co, const struct dt_window *dw)
{
	uint64_t fired = 0, runs = co->dco_bill;

	if (dw->dw_slots[co->dco_client->dcl_slot].sl_gen ==
	    co->dco_client->dcl_gen) {
		fired = dw->dw_slots[co->dco_client->dcl_slot].sl_fired;
		co->dco_bill += dt_limit_hits(dw, co);
	}
	co->dco_billother = co->dco_bill;
	if (dt_settings_isnamed(co->dco_enabled->den_settings, co->dco_client))
		co->dco_billother -= fired * dt_limit_price(co) +
		    (runs < fired ? runs : fired);
}

/* Converts hits and runs to millionths of the machine. */
static void
dt_limit_bill(const struct dt_window *dw, uint64_t cost)
{
	struct dt_costs *co;
	uint64_t all = 0;
	unsigned int i;

	TAILQ_FOREACH(co, &dt_costed, dco_entry)
		co->dco_bill = 0;
	for (i = 0; i < dw->dw_nkinds; i++)
		dt_limit_share(i, dw->dw_kinds[i].ki_runs);
	TAILQ_FOREACH(co, &dt_costed, dco_entry) {
		dt_limit_bill_session(co, dw);
		all += co->dco_bill;
	}
	TAILQ_FOREACH(co, &dt_costed, dco_entry) {
		if (all != 0) {
			co->dco_bill = (double)cost * co->dco_bill / all;
			co->dco_billother = (double)cost * co->dco_billother /
			    all;
		}
	}
}

/*
 * Returns the session with the highest bill of those over their own limit, or
 * NULL.
 */
static struct dt_costs *
dt_limit_choose_over(void)
{
	struct dt_costs *co, *most = NULL;
	int over;

	TAILQ_FOREACH(co, &dt_costed, dco_entry) {
		over = conf.cf_costlimit_open != 0 && !co->dco_nolimit &&
		    co->dco_bill > conf.cf_costlimit_open;
		co->dco_overs = COST_LIMIT_NEXT(co->dco_overs, over);
		if (COST_LIMIT_DUE(co->dco_overs) &&
		    (most == NULL || co->dco_bill > most->dco_bill))
			most = co;
	}
	return most;
}

/* One of the limits of all tracing. */
struct cost_limit {
	const char *cl_setting;
	uint64_t cl_max;  /* 0: none */
	int cl_all;	  /* includes hits of named processes */
	int cl_ncpu;	  /* of the machine */
	uint64_t cl_cost; /* cost that it limits */
};

static uint64_t
dt_limit_part(const struct dt_costs *co, const struct cost_limit *bl)
{
	return bl->cl_all ? co->dco_bill : co->dco_billother;
}

/* Returns whether no earlier session in the list belongs to the user. */
static int
dt_limit_isfirst(const struct dt_costs *co)
{
	const struct dt_costs *other;

	TAILQ_FOREACH(other, &dt_costed, dco_entry)
		if (!other->dco_nolimit &&
		    other->dco_client->dcl_peer.peer_person ==
			co->dco_client->dcl_peer.peer_person)
			break;
	return other == co;
}

/* Adds up the part of a user. */
static struct dt_limit_why
dt_limit_sum_person(uid_t person, const struct cost_limit *bl)
{
	struct dt_limit_why bw = { .lw_person = person };
	const struct dt_costs *co;

	bw.lw_cpu = (double)charge_of(person) * DT_COST_ALL / 1e9 / bl->cl_ncpu;
	bw.lw_part = bw.lw_cpu;
	TAILQ_FOREACH(co, &dt_costed, dco_entry)
		if (!co->dco_nolimit &&
		    co->dco_client->dcl_peer.peer_person == person) {
			bw.lw_part += dt_limit_part(co, bl);
			bw.lw_nsession++;
		}
	return bw;
}

/*
 * Adds up by user: sets cl_cost and returns the largest part that the limit may
 * stop, lw_nsession 0 if there is none.
 */
static struct dt_limit_why
dt_limit_sum_people(struct cost_limit *bl)
{
	struct dt_limit_why most = { 0 }, bw;
	const struct dt_costs *co;

	bl->cl_cost = 0;
	TAILQ_FOREACH(co, &dt_costed, dco_entry) {
		if (co->dco_nolimit || !dt_limit_isfirst(co))
			continue;
		bw = dt_limit_sum_person(co->dco_client->dcl_peer.peer_person,
		    bl);
		bl->cl_cost += bw.lw_part;
		if (bw.lw_part > most.lw_part &&
		    (bw.lw_person != 0 || bw.lw_part > bl->cl_max))
			most = bw;
	}
	most.lw_setting = bl->cl_setting;
	most.lw_limit = bl->cl_max;
	most.lw_cost = bl->cl_cost;
	return most;
}

/* Returns the largest session of a user, the newest of about equal ones. */
static struct dt_costs *
dt_limit_choose(uid_t person, const struct cost_limit *bl)
{
	struct dt_costs *co;
	uint64_t most = 0;

	TAILQ_FOREACH(co, &dt_costed, dco_entry)
		if (!co->dco_nolimit &&
		    co->dco_client->dcl_peer.peer_person == person &&
		    dt_limit_part(co, bl) > most)
			most = dt_limit_part(co, bl);
	TAILQ_FOREACH(co, &dt_costed, dco_entry)
		if (!co->dco_nolimit &&
		    co->dco_client->dcl_peer.peer_person == person &&
		    COST_LIMIT_EQUAL(dt_limit_part(co, bl), most))
			break;
	return co;
}

/*
 * Stores the name of the probe that most sampled records and counted hits are
 * of; without any, the first probe.
 */
static void
dt_limit_probe(const struct dt_costs *co, char *name, size_t size)
{
	const struct dt_pcb *dp,
	    *most = TAILQ_FIRST(&co->dco_enabled->den_pcbs);
	unsigned int n = 0;
	uint32_t pbn;
	int voted = dt_hottest_probe_top(&co->dco_votes, &pbn);

	TAILQ_FOREACH(dp, &co->dco_enabled->den_pcbs, dp_snext) {
		n++;
		if (voted && dp->dp_dtp->dtp_pbn == pbn)
			most = dp;
	}
	if (most == NULL) { /* all were disabled while it recorded */
		snprintf(name, size, "no probe");
		return;
	}
	snprintf(name, size, "%s:%s:%s", most->dp_dtp->dtp_prov->prov_name,
	    most->dp_dtp->dtp_func, most->dp_dtp->dtp_name);
	if (n > 1)
		snprintf(name + strlen(name), size - strlen(name),
		    " (of %u probes)", n);
}

/* Appends the user with the largest part. */
static void
dt_limit_note_person(const struct dt_limit_why *bw, char *text, size_t size)
{
	int n;

	n = snprintf(text, size, "; user %u has %.1f %% in %u recording%s",
	    (unsigned)bw->lw_person, bw->lw_part * 1e2 / DT_COST_ALL,
	    bw->lw_nsession, bw->lw_nsession == 1 ? "" : "s");
	if (bw->lw_cpu > bw->lw_part / 8 && n > 0 && (size_t)n < size)
		snprintf(text + n, size - n, ", %.1f %% of it for commands",
		    bw->lw_cpu * 1e2 / DT_COST_ALL);
}

/* Composes the note; the probe's name is cut to the space left. */
static void
dt_limit_note(struct dt_costs *co)
{
	const struct dt_limit_why *bw = &co->dco_why;
	char probe[120], person[80] = "", text[WIRE_MAXNOTE];
	size_t n;

	dt_limit_probe(co, probe, sizeof(probe));
	if (bw->lw_nsession != 0 && !conf.cf_private)
		dt_limit_note_person(bw, person, sizeof(person));
	snprintf(text, sizeof(text),
	    ": %s took %.1f %% of %ld CPUs, the limit is %g %%; setting %s%s",
	    bw->lw_nsession == 0 ? "this recording" : "tracing",
	    bw->lw_cost * 1e2 / DT_COST_ALL, sysconf(_SC_NPROCESSORS_ONLN),
	    bw->lw_limit * 1e2 / DT_COST_ALL, bw->lw_setting, person);
	memset(co->dco_note, 0, sizeof(co->dco_note));
	n = strnlen(probe, sizeof(co->dco_note) - strlen(text) - 1);
	memcpy(co->dco_note, probe, n);
	memcpy(co->dco_note + n, text, strlen(text));
}

void
dt_cost_limit_report(struct dt_costs *co)
{
	const struct dt_client *dcl = co->dco_client;

	limit_refused(REFUSED_COST);
	dt_limit_note(co);
	if (!conf.cf_private) /* the client of a private daemon reports it */
		log_notice("session %u: process %d of user %u is stopped: %s",
		    dcl->dcl_slot, (int)dcl->dcl_peer.peer_pid,
		    (unsigned)dcl->dcl_peer.peer_uid, co->dco_note);
}

static void
dt_limit_stop(struct dt_costs *co, const struct dt_limit_why *bw)
{
	co->dco_why = *bw;
	op_request(co->dco_queue, dt_record_limit);
}

/*
 * Stops sessions of a user. This does not reduce CPU time of commands, so that
 * does not count as excess.
 */
static void
dt_limit_stop_person(const struct cost_limit *bl, const struct dt_limit_why *bw)
{
	int64_t excess = bl->cl_cost - bl->cl_max - bw->lw_cpu;
	struct dt_costs *co;
	unsigned int n;

	for (n = 0; n < bw->lw_nsession; n++) {
		co = dt_limit_choose(bw->lw_person, bl);
		if (n > 0 && (excess <= 0 || dt_limit_part(co, bl) == 0))
			break;
		excess -= dt_limit_part(co, bl);
		dt_limit_stop(co, bw);
		co->dco_bill = co->dco_billother = 0;
	}
}

/* Notes in past whether a limit of all is exceeded.  Returns whether it stops
 * sessions; if another limit has done so, the next window decides. */
static int
dt_limit_judge(struct cost_limit *bl, unsigned int *past, int isenough)
{
	const struct dt_limit_why bw = dt_limit_sum_people(bl);

	*past = COST_LIMIT_NEXT(*past,
	    bl->cl_max != 0 && bl->cl_cost > bl->cl_max);
	if (isenough || !COST_LIMIT_DUE(*past) || bw.lw_nsession == 0)
		return 0;
	dt_limit_stop_person(bl, &bw);
	return 1;
}

void
dt_cost_judge(const struct dt_window *dw, uint64_t cost)
{
	struct cost_limit other = { "cost-limit", conf.cf_costlimit, 0,
		dw->dw_ncpu, 0 };
	struct cost_limit named = { "cost-limit-named", dt_cost_limit_named(),
		1, dw->dw_ncpu, 0 };
	struct dt_limit_why bw = { .lw_setting = "cost-limit-open",
		.lw_limit = conf.cf_costlimit_open };
	struct dt_costs *co;
	int stopped;

	dt_limit_bill(dw, cost);
	if ((co = dt_limit_choose_over()) != NULL) {
		bw.lw_cost = co->dco_bill;
		dt_limit_stop(co, &bw);
	}
	stopped = co != NULL;
	stopped = dt_limit_judge(&other, &dt_limit_past, stopped) || stopped;
	(void)dt_limit_judge(&named, &dt_limit_pastnamed, stopped);
}
