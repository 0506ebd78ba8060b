/* SPDX-License-Identifier: ISC */
/*
 * Measures the cost of the daemon's programs, see dt_cost.h, in windows
 * (cost_limit.h). There is no timer while no session records.
 *
 * The measure is the programs' own run time, without what the kernel counts for
 * an empty program. The kernel's time to call a program is not included.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpf/dt_tracepoint_table.h"
#include "daemon/access/charge.h"
#include "daemon/base/clock.h"
#include "daemon/base/conf.h"
#include "daemon/base/log.h"
#include "daemon/base/timer.h"
#include "daemon/device/cost_limit.h"
#include "daemon/device/session_sums.h"
#include "daemon/dt/dt_dev.h"
#include "daemon/dt/dt_pair.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/dt_interval_timer.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_record.h"

#define COST_PERIOD 1000000000 /* ns, from one window to the next */
#define COST_FIRST  100000000  /* ns after a start, for short runs */
#define COST_APART  500000000  /* minimum ns between two windows */

#define COST_STACKS (DT_EVT_USTACK | DT_EVT_KSTACK)

/* Each raw tracepoint has its own program; there are few others. */
#define COST_MAXPROG (DT_TP_ENTRIES + 256)

struct cost_kind {
	const struct dt_provider *prov; /* used by sessions with a probe of
					 * this */
	unsigned int hooks;		/* or with one of these hooks */
};

/* A program; its state at the start of the window belongs to the worker. */
struct cost_prog {
	int fd;
	unsigned int kind;
	uint64_t nsecs, runs;
};

static pthread_mutex_t cost_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct cost_kind cost_kinds[DT_COST_MAXKIND]; /* by cost_mtx */
static unsigned int cost_nkinds;		     /* by cost_mtx */
static struct cost_prog cost_progs[COST_MAXPROG];    /* by cost_mtx */
static unsigned int cost_nprogs;		     /* by cost_mtx */

/* The rest belongs to the control thread. */
struct dt_costed dt_costed = TAILQ_HEAD_INITIALIZER(dt_costed);
static struct timer cost_timer;
static int64_t cost_due;  /* CLOCK_MONOTONIC of the next window, 0: none */
static int64_t cost_last; /* end of the last window */
static struct dt_window cost_window;
static int cost_busy;			    /* a worker runs the window */
static int cost_refused;		    /* the kernel does not report run
					     * times */
static uint64_t cost_now = DT_COST_UNKNOWN; /* of the last window */
static int64_t cost_from; /* CLOCK_MONOTONIC: accounted for up to here */

/* For dt_cost_sums(). */
static pthread_mutex_t sums_mtx = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sums_nsecs[DT_COST_MAXKIND]; /* by sums_mtx */
static unsigned int sums_nattached;	     /* by sums_mtx */
static uint64_t sums_cost;		     /* by sums_mtx: as dtfs_cost */

/* Returns the kind's index. Under the lock. */
static unsigned int
cost_kind(const struct dt_provider *prov, unsigned int hooks)
{
	unsigned int i;

	for (i = 0; i < cost_nkinds; i++)
		if (cost_kinds[i].prov == prov && cost_kinds[i].hooks == hooks)
			break;
	if (i == cost_nkinds && cost_nkinds < DT_COST_MAXKIND)
		cost_kinds[cost_nkinds++] = (struct cost_kind){ prov, hooks };
	return i;
}

void
dt_cost_watch(int fd, const struct dt_provider *prov, unsigned int hooks)
{
	unsigned int kind;

	pthread_mutex_lock(&cost_mtx);
	kind = cost_kind(prov, hooks);
	if (cost_nprogs < COST_MAXPROG && kind < DT_COST_MAXKIND)
		cost_progs[cost_nprogs++] = (struct cost_prog){ .fd = fd,
			.kind = kind };
	else
		log_warnx("too many programs: the cost of one is not measured");
	pthread_mutex_unlock(&cost_mtx);
}

/*
 * The window.  Worker
 */

/* The descriptor's program may have changed: then the counter is lower. */
static uint64_t
cost_since(uint64_t now, uint64_t then)
{
	return now < then ? 0 : now - then;
}

/* Adds to the program's kind its increase since the last reading. */
static void
cost_look_prog(struct dt_window *dw, struct cost_prog *cp, int isend)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(cp->fd, &info, &len) != 0)
		dw->dw_error = errno;
	if (isend) {
		dw->dw_kinds[cp->kind].ki_nsecs += cost_since(info.run_time_ns,
		    cp->nsecs);
		dw->dw_kinds[cp->kind].ki_runs += cost_since(info.run_cnt,
		    cp->runs);
	}
	cp->nsecs = info.run_time_ns;
	cp->runs = info.run_cnt;
}

/* Adds what a slot has counted in one tally. */
static void
cost_hits_of(unsigned int slot, int tally, uint64_t *fired, uint64_t *excluded)
{
	const struct dt_count *c = dt_counts_of(slot, tally);
	unsigned int cpu;

	for (cpu = 0; c != NULL && cpu < dt_ncpu; cpu++, c++) {
		*fired += __atomic_load_n(&c->dc_fired, __ATOMIC_RELAXED) +
		    __atomic_load_n(&c->dc_counted, __ATOMIC_RELAXED);
		*excluded += __atomic_load_n(&c->dc_excluded, __ATOMIC_RELAXED);
	}
}

/* Called twice, as cost_look() is. */
static void
cost_hits(struct dt_window *dw, unsigned int slot)
{
	uint64_t fired = 0, excluded = 0, ticks = 0;
	int t;

	for (t = 0; t < DT_NTALLY; t++)
		if (t != DT_TALLY_INTERVAL)
			cost_hits_of(slot, t, &fired, &excluded);
	cost_hits_of(slot, DT_TALLY_INTERVAL, &ticks, &excluded);
	dw->dw_slots[slot].sl_fired = fired - dw->dw_slots[slot].sl_fired;
	dw->dw_slots[slot].sl_excluded = excluded -
	    dw->dw_slots[slot].sl_excluded;
	dw->dw_slots[slot].sl_ticks = ticks - dw->dw_slots[slot].sl_ticks;
	dw->dw_nticks += dw->dw_slots[slot].sl_ticks;
}

/* Called twice: stores the sum first, then the difference. */
static void
cost_look(void *arg, int isend)
{
	static uint64_t empty; /* static: windows never overlap */
	struct dt_window *dw = arg;
	uint64_t tickcpu = interval_nsecs();
	unsigned int i;

	if (empty == 0)
		empty = dt_cost_base_nsecs();
	dw->dw_empty = empty;
	/* the threads may have ended, or others have begun */
	dw->dw_nticks = 0;
	dw->dw_tickcpu = isend ? cost_since(tickcpu, dw->dw_tickcpu) : tickcpu;
	for (i = 0; i < dw->dw_nprogs; i++)
		if (dw->dw_used & (1ULL << cost_progs[i].kind))
			cost_look_prog(dw, &cost_progs[i], isend);
	for (i = 0; i < DT_MAXSESS; i++)
		if (dw->dw_slots[i].sl_gen != 0)
			cost_hits(dw, i);
	dw->dw_nsecs = clock_monotonic() - dw->dw_nsecs;
}

static void
cost_run(struct work *w)
{
	struct dt_window *dw = (struct dt_window *)w;
	int error;

	dw->dw_ncpu = sysconf(_SC_NPROCESSORS_ONLN);
	if ((error = cost_limit_measure(cost_look, dw)) != 0)
		dw->dw_error = error;
}

/*
 * The timer
 */

/* Sets the time of the next window, 0: none. */
static void
cost_set(int64_t due)
{
	cost_due = due;
	if (due != 0)
		timer_start(&cost_timer, due - clock_monotonic());
	else
		timer_stop(&cost_timer);
}

/* Logs once: the condition is permanent. */
static void
cost_refuse(int error)
{
	if (!cost_refused)
		cost_limit_unmeasured("its programs", error);
	cost_refused = 1;
	cost_now = DT_COST_UNKNOWN;
}

/*
 * Returns the share of the machine that the programs and the threads of
 * interval took.  The kernel's reads of the clock made the window longer, too.
 */
static uint64_t
cost_share(const struct dt_window *dw)
{
	uint64_t all = (uint64_t)dw->dw_nsecs * dw->dw_ncpu, nsecs = 0;
	uint64_t clock = 0;
	unsigned int i;

	for (i = 0; i < dw->dw_nkinds; i++) {
		nsecs += dw->dw_kinds[i].ki_nsecs;
		clock += dw->dw_kinds[i].ki_runs * dw->dw_empty;
	}
	nsecs -= clock < nsecs ? clock : nsecs;
	nsecs += dw->dw_tickcpu;
	all -= clock < all / 2 ? clock : all / 2;
	return nsecs < all ? nsecs * DT_COST_ALL / all : DT_COST_ALL;
}

/* Adds a window, which represents the time since the last one. */
static void
cost_sum_window(const struct dt_window *dw)
{
	double factor = (double)(cost_last - cost_from) / dw->dw_nsecs;
	uint64_t nsecs, clock;
	unsigned int i;

	pthread_mutex_lock(&sums_mtx);
	for (i = 0; i < dw->dw_nkinds; i++) {
		nsecs = dw->dw_kinds[i].ki_nsecs;
		clock = dw->dw_kinds[i].ki_runs * dw->dw_empty;
		if (nsecs > clock)
			sums_nsecs[i] += (nsecs - clock) * factor;
	}
	pthread_mutex_unlock(&sums_mtx);
	cost_from = cost_last;
}

/* Updates the sums between windows. */
static void
cost_sum_now(void)
{
	const struct dt_costs *co;
	unsigned int i, n = 0;
	uint64_t bits = 0;

	TAILQ_FOREACH(co, &dt_costed, dco_entry)
		bits |= co->dco_progs;
	pthread_mutex_lock(&cost_mtx);
	for (i = 0; i < cost_nprogs; i++)
		n += (bits & (1ULL << cost_progs[i].kind)) != 0;
	pthread_mutex_unlock(&cost_mtx);
	pthread_mutex_lock(&sums_mtx);
	sums_nattached = n;
	sums_cost = cost_now;
	if (TAILQ_EMPTY(&dt_costed) && !cost_refused)
		sums_cost = 0;
	pthread_mutex_unlock(&sums_mtx);
}

/* Returns the name of a kind: its provider, or its shared hook. */
static const char *
cost_kind_name(const struct cost_kind *ck)
{
	if (ck->prov != NULL)
		return ck->prov->prov_name;
	return dt_hook_name(__builtin_ctz(ck->hooks));
}

void
dt_cost_sums(struct sums *sm)
{
	const char *names[DT_COST_MAXKIND], *dev = dt_cdevsw.d_name;
	unsigned int i, n;

	pthread_mutex_lock(&cost_mtx);
	n = cost_nkinds;
	for (i = 0; i < n; i++)
		names[i] = cost_kind_name(&cost_kinds[i]);
	pthread_mutex_unlock(&cost_mtx);
	pthread_mutex_lock(&sums_mtx);
	sums_put(sm, DTSM_PROGRAMS, dev, NULL, sums_nattached);
	if (sums_cost != DT_COST_UNKNOWN)
		sums_put(sm, DTSM_COST, dev, NULL, sums_cost);
	for (i = 0; i < n; i++)
		sums_put(sm, DTSM_PROGNSECS, dev, names[i], sums_nsecs[i]);
	pthread_mutex_unlock(&sums_mtx);
}

/*
 * Votes for dc_hitpbn of each CPU with at least n counted hits.  Returns
 * the largest number of a CPU.
 */
static uint64_t
cost_vote_tally(struct dt_costs *co, int tally, uint64_t n)
{
	const struct dt_count *c = dt_counts_of(co->dco_client->dcl_slot,
	    tally);
	uint64_t counted, most = 0;
	unsigned int cpu;

	for (cpu = 0; c != NULL && cpu < dt_ncpu; cpu++, c++) {
		counted = __atomic_load_n(&c->dc_counted, __ATOMIC_RELAXED);
		if (counted > most)
			most = counted;
		if (counted >= n)
			dt_hottest_probe_add(&co->dco_votes,
			    __atomic_load_n(&c->dc_hitpbn, __ATOMIC_RELAXED));
	}
	return most;
}

/*
 * Votes for probes that were counted lately, where most were counted.  The
 * data thread votes for records, of which a session that only counts has none.
 */
static void
cost_vote(struct dt_costs *co)
{
	uint64_t most = 0, n;
	int t;

	for (t = 0; t < DT_NTALLY; t++) {
		n = cost_vote_tally(co, t, UINT64_MAX);
		most = n > most ? n : most;
	}
	for (t = 0; t < DT_NTALLY && most >= 2 * DT_AGG_VOTE; t++)
		cost_vote_tally(co, t, most / 2);
}

static void
cost_done(struct work *w)
{
	struct dt_window *dw = (struct dt_window *)w;
	struct dt_costs *co;

	cost_busy = 0;
	cost_last = clock_monotonic();
	if (dw->dw_error != 0) {
		cost_refuse(dw->dw_error);
		cost_sum_now();
		return;
	}
	cost_refused = 0;
	cost_now = cost_share(dw);
	charge_period(cost_last - cost_from);
	cost_sum_window(dw);
	cost_sum_now();
	TAILQ_FOREACH(co, &dt_costed, dco_entry) {
		if (dw->dw_slots[co->dco_client->dcl_slot].sl_gen !=
		    co->dco_client->dcl_gen)
			continue;
		co->dco_sum += cost_now;
		co->dco_nwindows++;
		cost_vote(co);
	}
	dt_cost_judge(dw, cost_now);
}

static void
cost_measure(struct dt_window *dw)
{
	const struct dt_client *dcl;
	const struct dt_costs *co;

	memset(dw, 0, sizeof(*dw));
	TAILQ_FOREACH(co, &dt_costed, dco_entry) {
		dcl = co->dco_client;
		dw->dw_slots[dcl->dcl_slot].sl_gen = dcl->dcl_gen;
		dw->dw_used |= co->dco_progs;
	}
	pthread_mutex_lock(&cost_mtx);
	dw->dw_nprogs = cost_nprogs; /* static: those entries do not change */
	dw->dw_nkinds = cost_nkinds;
	pthread_mutex_unlock(&cost_mtx);
	dw->dw_work.w_run = cost_run;
	dw->dw_work.w_done = cost_done;
	cost_busy = 1;
	workers_submit(&dw->dw_work);
}

static void
cost_tick(void)
{
	cost_set(clock_monotonic() + COST_PERIOD);
	dt_softcs_each(dt_pair_tick);
	dt_softcs_each(dt_record_tick);
	if (!cost_busy)
		cost_measure(&cost_window);
}

int
dt_cost_init(void)
{
	return timer_init(&cost_timer, cost_tick);
}

/*
 * Opens
 */

/* Returns the programs that the session keeps attached. */
static uint64_t
cost_uses(const struct dt_costs *co)
{
	const struct dt_provider *prov = NULL;
	const struct dt_pcb *dp;
	uint64_t bits = 0;
	unsigned int i;

	pthread_mutex_lock(&cost_mtx);
	for (i = 0; i < cost_nkinds; i++)
		if (cost_kinds[i].hooks & co->dco_enabled->den_hooks)
			bits |= 1ULL << i;
	TAILQ_FOREACH(dp, &co->dco_enabled->den_pcbs, dp_snext)
		if (dp->dp_dtp->dtp_prov != prov) { /* mostly consecutive */
			prov = dp->dp_dtp->dtp_prov;
			for (i = 0; i < cost_nkinds; i++)
				if (cost_kinds[i].prov != NULL &&
				    cost_kinds[i].prov->prov_rec ==
					prov->prov_rec)
					bits |= 1ULL << i;
		}
	pthread_mutex_unlock(&cost_mtx);
	return bits;
}

void
dt_cost_open(struct dt_costs *co, const struct dt_enabled *en,
    struct op_queue *oq)
{
	co->dco_client = en->den_client;
	co->dco_enabled = en;
	co->dco_queue = oq;
}

void
dt_cost_add(struct dt_costs *co)
{
	int64_t due = clock_monotonic() + COST_FIRST;

	if (TAILQ_EMPTY(&dt_costed)) {
		cost_now = DT_COST_UNKNOWN;
		cost_from = clock_monotonic();
		dt_cost_limit_reset();
		charge_reset();
	}
	TAILQ_INSERT_HEAD(&dt_costed, co, dco_entry);
	co->dco_islisted = 1;
	co->dco_progs = cost_uses(co);
	co->dco_hasstacks = (dt_enabled_evtflags(co->dco_enabled) &
				COST_STACKS) != 0;
	co->dco_sum = 0;
	co->dco_nwindows = 0;
	co->dco_overs = 0;
	cost_sum_now();
	if (due < cost_last + COST_APART)
		due = cost_last + COST_APART;
	if (cost_due == 0 || cost_due > due)
		cost_set(due);
}

void
dt_cost_del(struct dt_costs *co)
{
	if (!co->dco_islisted)
		return;
	co->dco_islisted = 0;
	TAILQ_REMOVE(&dt_costed, co, dco_entry);
	cost_sum_now();
	if (TAILQ_EMPTY(&dt_costed))
		cost_set(0);
}

uint64_t
dt_cost_limit_named(void)
{
	const uint64_t limit = conf.cf_costlimit;

	if (conf.cf_costlimit_named == 0)
		return 0;
	if (conf.cf_costlimit_named != CONF_UNSET)
		return conf.cf_costlimit_named > limit ? conf.cf_costlimit_named
						       : limit;
	return limit * 5 / 2 < DT_COST_ALL ? limit * 5 / 2 : DT_COST_ALL;
}

void
dt_cost_report(const struct dt_costs *co, struct dtioc_fullstat *fs)
{
	fs->dtfs_cost = cost_now;
	if (TAILQ_EMPTY(&dt_costed) && !cost_refused)
		fs->dtfs_cost = 0;
	fs->dtfs_costrun = DT_COST_UNKNOWN;
	if (co->dco_nwindows != 0)
		fs->dtfs_costrun = co->dco_sum / co->dco_nwindows;
	fs->dtfs_costlimit = dt_settings_isnamed(co->dco_enabled->den_settings,
				 co->dco_client)
	    ? dt_cost_limit_named()
	    : conf.cf_costlimit;
	if (co->dco_nolimit)
		fs->dtfs_costlimit = 0;
}
