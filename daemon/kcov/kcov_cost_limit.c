/* SPDX-License-Identifier: ISC */
/*
 * Stops sessions whose functions take too much of the machine, as
 * dt_cost_limit.c does for dt: every thread that enters a function pays for its
 * coverage.  The cost in traced threads does not count: their user accepted it,
 * and it slows no other user.
 *
 * Run times are measured in windows (cost_limit.h), as in dt_cost.c.  The
 * kernel counts from the entry of the program; the way there and back takes
 * about as long again in the guests of tests/vm.
 *
 * All sets share the program, so a set costs in proportion to its functions,
 * and the sessions that are enabled for it pay equal parts.  Parts are summed
 * by person (person.h), so that many small sets of one user do not stop a
 * larger one of another: the sessions of the person with the largest sum are
 * stopped, in the set in which they pay most.  Root's are stopped only if
 * root's sum exceeds the limit by itself.  The next window shows whether that
 * was enough.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/access/limit.h"
#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/base/timer.h"
#include "daemon/base/workers.h"
#include "daemon/device/cost_limit.h"
#include "daemon/kcov/kcov_softc.h"

#define COST_LIMIT_PERIOD TIMER_SEC /* from one window to the next */
#define COST_LIMIT_WAY	  2	    /* the way there and back, too */

/* The result of a window. */
struct window {
	uint64_t wi_nsecs, wi_runs;
	uint64_t wi_own; /* those in traced threads */
	int64_t wi_all;	 /* ns of all CPUs */
};

static struct timer cost_timer;
static struct work cost_work;		     /* [c] of a window */
static int cost_busy;			     /* [c] it is in progress */
static uint64_t cost_limit, cost_limit_open; /* used by the window */
static int cost_refused;		     /* likewise; a refusal is logged */
static int cost_running;		     /* [K] the timer runs */
static unsigned int cost_past;		     /* [K] windows */
static atomic_uint_fast64_t cost_stops;

/* Called with K, like all that starts and stops the timer. */
void
kcov_cost_limit_start(void)
{
	if (cost_running)
		return;
	cost_past = 0;
	cost_running = 1;
	timer_repeat(&cost_timer, COST_LIMIT_PERIOD);
}

/*
 * The window: on a worker
 */

/* Sums over all entries, as counts of closed sessions do not change. */
static uint64_t
window_own(void)
{
	const struct kcov_entry *kl;
	unsigned int i;
	uint64_t n = 0;

	for (i = 0; i < KCOV_MAXOPEN; i++) {
		kl = kcov_row(i);
		n += __atomic_load_n(&kl->kcl_recorded, __ATOMIC_RELAXED) +
		    __atomic_load_n(&kl->kcl_dropped, __ATOMIC_RELAXED) +
		    __atomic_load_n(&kl->kcl_interrupt, __ATOMIC_RELAXED);
	}
	return n;
}

/* Called twice: stores the sums, then the differences. */
static void
window_look(void *arg, int isend __attribute__((unused)))
{
	struct window *wi = arg;
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	(void)bpf_obj_get_info_by_fd(kcov_progfd(), &info, &len);
	wi->wi_nsecs = info.run_time_ns - wi->wi_nsecs;
	wi->wi_runs = info.run_cnt - wi->wi_runs;
	wi->wi_own = window_own() - wi->wi_own;
	wi->wi_all = clock_monotonic() - wi->wi_all;
}

/*
 * Returns the cost in threads of others.  A session that was closed meanwhile
 * is not counted.
 */
static double
window_others(const struct window *wi)
{
	if (wi->wi_runs == 0 || wi->wi_own >= wi->wi_runs)
		return 0;
	return (double)wi->wi_nsecs * (wi->wi_runs - wi->wi_own) / wi->wi_runs;
}

/*
 * The verdict: called with K
 */

/* The part of a person, in functions. */
struct payer {
	uid_t pa_person;
	double pa_funcs;
	struct kcov_set *pa_set; /* in which the person pays most; NULL: none */
};

/*
 * Functions of all sessions, of paying sessions, and the number of the latter.
 */
struct bill {
	double bi_all, bi_paid;
	unsigned int bi_npaying;
};

/*
 * Returns whether a session lifted the limit, which frees the others of its
 * set.
 */
static int
set_isfree(const struct kcov_set *ks)
{
	const struct kcov_dev *kd;

	TAILQ_FOREACH(kd, &kcov_devs, kd_entry)
		if (kd->kd_set == ks && kd->kd_isarmed && kd->kd_nolimit)
			return 1;
	return 0;
}

/* Sets kd_bill of all sessions. */
static struct bill
cost_bill(void)
{
	struct bill bi = { 0 };
	struct kcov_dev *kd;
	double funcs;

	TAILQ_FOREACH(kd, &kcov_devs, kd_entry) {
		kd->kd_bill = 0;
		if (!kd->kd_isarmed)
			continue;
		funcs = (double)kd->kd_set->kse_nfuncs /
		    kd->kd_set->kse_nactive;
		bi.bi_all += funcs;
		if (set_isfree(kd->kd_set))
			continue;
		kd->kd_bill = funcs;
		bi.bi_paid += funcs;
		bi.bi_npaying++;
	}
	return bi;
}

/* Returns the part of a person for a set; NULL: for all sets. */
static double
person_funcs(uid_t person, const struct kcov_set *ks)
{
	const struct kcov_dev *kd;
	double n = 0;

	TAILQ_FOREACH(kd, &kcov_devs, kd_entry)
		if (kd->kd_peer.peer_person == person &&
		    (ks == NULL || kd->kd_set == ks))
			n += kd->kd_bill;
	return n;
}

static struct kcov_set *
person_set(uid_t person)
{
	const struct kcov_dev *kd;
	struct kcov_set *most = NULL;
	double n, max = 0;

	TAILQ_FOREACH(kd, &kcov_devs, kd_entry)
		if ((n = person_funcs(person, kd->kd_set)) > max) {
			max = n;
			most = kd->kd_set;
		}
	return most;
}

/* Returns the person who pays most; root only if its functions alone exceed the
 * limit. */
static struct payer
payer_choose(double limit)
{
	const struct kcov_dev *kd;
	struct payer most = { 0 };
	uid_t person;
	double n;

	TAILQ_FOREACH(kd, &kcov_devs, kd_entry) {
		person = kd->kd_peer.peer_person;
		n = person_funcs(person, NULL);
		if (n > most.pa_funcs && (person != 0 || n > limit)) {
			most.pa_person = person;
			most.pa_funcs = n;
		}
	}
	if (most.pa_funcs != 0)
		most.pa_set = person_set(most.pa_person);
	return most;
}

static void
cost_stop(const struct payer *pa, double share, double limit)
{
	struct kcov_set *ks = pa->pa_set;
	struct kcov_dev *kd;
	struct reason why;

	reason_set(&why,
	    "%zu functions took others about %.2g %% of %ld CPUs, the limit is "
	    "%g %%",
	    ks->kse_nfuncs, share * 1e2 / COST_LIMIT_ALL,
	    sysconf(_SC_NPROCESSORS_ONLN), limit * 1e2 / COST_LIMIT_ALL);
	TAILQ_FOREACH(kd, &kcov_devs, kd_entry) {
		if (kd->kd_set != ks ||
		    kd->kd_peer.peer_person != pa->pa_person ||
		    !kd_stop(kd, why.rsn_text))
			continue;
		atomic_fetch_add(&cost_stops, 1);
		limit_refused(REFUSED_COST);
		if (!conf.cf_private) /* its client reports it */
			log_notice("kcov: process %d of user %u is stopped: %s",
			    (int)kd->kd_peer.peer_pid,
			    (unsigned)kd->kd_peer.peer_uid, why.rsn_text);
	}
	if (ks->kse_nactive == 0)
		kcov_set_letgo(ks);
}

static void
cost_judge(const struct window *wi, const struct bill *bi)
{
	double cost = window_others(wi) * COST_LIMIT_WAY * COST_LIMIT_ALL /
	    wi->wi_all;
	double share = cost * bi->bi_paid / bi->bi_all;
	double limit = cost_limit, open = cost_limit_open;
	struct payer pa;

	open *= bi->bi_npaying; /* of each session */
	if (limit == 0 || (open != 0 && open < limit))
		limit = open;
	cost_past = COST_LIMIT_NEXT(cost_past, limit != 0 && share > limit);
	log_debug("kcov: %.1f %% of the machine, %llu runs",
	    share * 1e2 / COST_LIMIT_ALL, (unsigned long long)wi->wi_runs);
	if (!COST_LIMIT_DUE(cost_past))
		return;
	pa = payer_choose(limit * bi->bi_all / cost);
	if (pa.pa_set == NULL)
		return;
	cost_past = 0;
	cost_stop(&pa, share, limit);
}

static void
cost_run(struct work *w __attribute__((unused)))
{
	struct window wi = { 0 };
	struct bill bi;
	int error = cost_limit_measure(window_look, &wi);

	if (error != 0 && !cost_refused)
		cost_limit_unmeasured("functions that kcov records", error);
	cost_refused = error != 0;
	wi.wi_all *= sysconf(_SC_NPROCESSORS_ONLN);
	pthread_mutex_lock(&kcov_mtx);
	bi = cost_bill();
	if (bi.bi_all == 0) {
		cost_running = 0;
		timer_stop(&cost_timer);
	} else if (error == 0)
		cost_judge(&wi, &bi);
	pthread_mutex_unlock(&kcov_mtx);
}

static void
cost_done(struct work *w __attribute__((unused)))
{
	cost_busy = 0;
}

static void
cost_tick(void)
{
	if (cost_busy)
		return;
	cost_busy = 1;
	cost_limit = conf.cf_costlimit;
	cost_limit_open = conf.cf_costlimit_open;
	cost_work.w_run = cost_run;
	cost_work.w_done = cost_done;
	workers_submit(&cost_work);
}

uint64_t
kcov_cost_limit_stops(void)
{
	return atomic_load(&cost_stops);
}

int
kcov_cost_limit_init(void)
{
	return timer_init(&cost_timer, cost_tick);
}
