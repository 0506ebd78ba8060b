/* SPDX-License-Identifier: ISC */
/*
 * Runs a script.  Hits arrive in the order of time; a timer is executed before
 * the first younger hit, or when no older one can arrive any more: dtd reports
 * on request up to which time it has sent all hits.  A script without
 * probes of dt, such as BEGIN { ... }, needs no daemon.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/sigs.h"
#include "cli/calls/kernel_pair.h"
#include "cli/out/out_ledger.h"
#include "cli/script/script_cost.h"
#include "cli/script/script_lower.h"
#include "cli/script/script_name.h"
#include "cli/script/script_reads.h"
#include "cli/script/script_session.h"
#include "cli/session/refusal.h"
#include "cli/session/session_loop.h"
#include "common/clock.h"

#define SESSION_BUDGET (4 << 20) /* bytes of rings */

struct script_timer {
	const struct clause *stm_clause;
	struct script_hit stm_hit;
	uint64_t stm_period, stm_due; /* CLOCK_MONOTONIC, ns */
};

struct script_state {
	const struct script_opts *ste_opts;
	const char *ste_name;
	struct script *ste_script;
	struct srun ste_run;
	struct script_timer *ste_timers;
	unsigned int ste_ntimers;
	uint64_t ste_upto; /* timers up to here wait for older hits, ns */
	/* with probes of dt */
	int ste_issession;
	struct session ste_session;
	struct session_ops ste_ops;
	struct script_bind ste_bind;
	struct script_lower ste_lower;
	struct kernel_pair ste_pair;
};

/* Ends dt with the script's error. */
static void __attribute__((noreturn)) state_bad(struct script_state *ste)
{
	struct buf b;

	buf_init(&b, STDERR_FILENO);
	buf_str(&b, "dt: ");
	script_error_text(&b, &ste->ste_script->scr_error, ste->ste_name,
	    ste->ste_script->scr_text);
	(void)buf_flush(&b);
	if (*ste->ste_bind.sbi_nomatch != '\0')
		refusal_nomatch(ste->ste_session.ss_dt,
		    ste->ste_bind.sbi_nomatch);
	exit(1);
}

/* Clauses without a hit */

/* Executes the clauses of BEGIN or END. */
static void
state_edge(struct script_state *ste, enum target_kind kind)
{
	static const char *const names[] = { "BEGIN", "END" };
	const struct script_hit sh = { .sht_name = names[kind],
		.sht_func = names[kind] };
	const struct clause *cl;
	const struct script_probe *sp;

	for (cl = ste->ste_script->scr_clauses; cl != NULL; cl = cl->cla_next)
		for (sp = cl->cla_probes; sp != NULL; sp = sp->scn_next)
			if (strcmp(sp->scn_name, names[kind]) == 0)
				srun_clause(&ste->ste_run, cl, &sh, NULL,
				    clock_monotonic());
}

static void
state_timer_add(struct script_state *ste, const struct clause *cl,
    const struct script_probe *sp, uint64_t period)
{
	ste->ste_timers = reallocarray(ste->ste_timers, ste->ste_ntimers + 1,
	    sizeof(*ste->ste_timers));
	if (ste->ste_timers == NULL)
		err(1, "timers");
	ste->ste_timers[ste->ste_ntimers++] = (struct script_timer){
		.stm_clause = cl,
		.stm_hit = { .sht_name = sp->scn_name,
		    .sht_func = sp->scn_name },
		.stm_period = period,
	};
}

static void
state_timers_start(struct script_state *ste, uint64_t now)
{
	unsigned int i;

	ste->ste_run.srn_start = now;
	for (i = 0; i < ste->ste_ntimers; i++)
		ste->ste_timers[i].stm_due = now +
		    ste->ste_timers[i].stm_period;
}

/* Returns the timer that is due first, or NULL. */
static struct script_timer *
state_timer_next(struct script_state *ste)
{
	struct script_timer *first = NULL;
	unsigned int i;

	for (i = 0; i < ste->ste_ntimers; i++)
		if (first == NULL ||
		    ste->ste_timers[i].stm_due < first->stm_due)
			first = &ste->ste_timers[i];
	return first;
}

/*
 * Executes the timers that are due at a time.  Ticks that dt is late for by a
 * whole period are skipped, as clocks of the kernel do.
 */
static void
state_timers(struct script_state *ste, uint64_t now)
{
	struct script_timer *stm;
	uint64_t due;

	while (!ste->ste_run.srn_isover &&
	    (stm = state_timer_next(ste)) != NULL && stm->stm_due <= now) {
		due = stm->stm_due;
		stm->stm_due += stm->stm_period;
		if (stm->stm_due + stm->stm_period < now)
			stm->stm_due = now + stm->stm_period -
			    (now - due) % stm->stm_period;
		srun_clause(&ste->ste_run, stm->stm_clause, &stm->stm_hit, NULL,
		    due);
	}
}

/* Hits */

/* Executes the clauses of a hit's probe. */
static void
state_hit(struct script_state *ste, const struct dt_event *ev)
{
	const struct dt_rec *rec = ev->ev_rec;
	const struct hash_entry *e;
	const struct bound *bo;
	unsigned int i;

	srun_ustack(&ste->ste_run, ev);
	e = hash_find(&ste->ste_bind.sbi_hash, &rec->dr_pbn,
	    sizeof(rec->dr_pbn));
	bo = e != NULL ? e->he_ptr : NULL;
	for (i = 0; bo != NULL && i < bo->bo_nclauses; i++) {
		if (ste->ste_run.srn_isover)
			break;
		srun_clause(&ste->ste_run, bo->bo_clauses[i].bc_clause,
		    &bo->bo_clauses[i].bc_hit, ev, rec->dr_time);
	}
}

static int
state_event(void *arg, const struct dt_event *ev)
{
	struct script_state *ste = arg;

	if (ste->ste_ntimers > 0)
		state_timers(ste, ev->ev_rec->dr_time);
	if (ev->ev_duration != NULL) {
		kernel_pair_split(&ste->ste_pair, ev);
		state_hit(ste, &ste->ste_pair.kpr_first);
		ev = &ste->ste_pair.kpr_second;
	}
	state_hit(ste, ev);
	return ste->ste_run.srn_isover ? -1 : 0;
}

/*
 * Without pending hits: executes the timers that are due when all older hits
 * were executed.  Returns the time at which to call it again; UINT64_MAX: after
 * the next bytes of dtd.
 */
static uint64_t
state_timers_idle(struct script_state *ste, uint64_t now)
{
	const struct script_timer *stm = state_timer_next(ste);

	if (stm == NULL)
		return UINT64_MAX;
	if (stm->stm_due > now)
		return stm->stm_due;
	/* the time is fixed until dtd replies, however long that takes */
	if (ste->ste_upto < stm->stm_due)
		ste->ste_upto = now;
	if (stack_wait_passed(&ste->ste_session.ss_events, ste->ste_upto) == 0)
		return UINT64_MAX;
	state_timers(ste, ste->ste_upto);
	return state_timer_next(ste)->stm_due;
}

static uint64_t
state_idle(void *arg, uint64_t now)
{
	struct script_state *ste = arg;
	uint64_t next = script_lower_idle(&ste->ste_lower, now), due;

	if (ste->ste_session.ss_stop != 0)
		return 0;
	due = state_timers_idle(ste, now);
	return due == UINT64_MAX || (next != 0 && next < due) ? next : due;
}

static uint64_t
state_moreflags(void *arg, const struct dtioc_probe_info *pi)
{
	struct script_state *ste = arg;
	const struct hash_entry *e = hash_find(&ste->ste_bind.sbi_hash,
	    &pi->dtpi_pbn, sizeof(pi->dtpi_pbn));
	uint64_t flags = e != NULL ? ((struct bound *)e->he_ptr)->bo_evtflags
				   : 0;

	return ste->ste_opts->sco_common.o_isfp
	    ? flags & ~(uint64_t)DTEVT_UTABLE
	    : flags;
}

static void
state_started(void *arg)
{
	struct script_state *ste = arg;

	state_timers_start(ste, ste->ste_session.ss_start);
	state_edge(ste, TARGET_BEGIN);
	(void)buf_flush(&ste->ste_run.srn_out);
}

/* Output, as the session sees it */

static int
consume_save(void *arg, const struct dt_ledger *dl, const struct ledger_run *lr)
{
	(void)arg;
	(void)dl;
	(void)lr;
	return 0;
}

/* At the end, before the session prints how many events were lost, and why. */
static int
consume_ledger(void *arg, const struct dt_ledger *dl,
    const struct ledger_run *lr)
{
	const struct script_state *ste = arg;

	(void)lr;
	if (ledger_lost(dl) > 0)
		warnx("%s has not seen all hits: its results lack the lost "
		      "events",
		    ste->ste_name);
	return 0;
}

static int
consume_idle(void *arg)
{
	struct script_state *ste = arg;

	(void)buf_flush(&ste->ste_run.srn_out);
	return 0;
}

static int
consume_isover(const void *arg)
{
	const struct script_state *ste = arg;

	return ste->ste_run.srn_isover || ste->ste_run.srn_out.b_error != 0;
}

static int
consume_fd(const void *arg)
{
	return ((const struct script_state *)arg)->ste_run.srn_out.b_fd;
}

static void
consume_hangup(void *arg)
{
	((struct script_state *)arg)->ste_run.srn_out.b_error = EPIPE;
}

static int
consume_close(void *arg, struct ledger_run *lr, int *isreported)
{
	struct buf *b = &((struct script_state *)arg)->ste_run.srn_out;

	(void)lr;
	*isreported = 0;
	(void)buf_flush(b);
	return b->b_error;
}

static const struct consumer_ops consume_ops = {
	.cso_save = consume_save,
	.cso_ledger = consume_ledger,
	.cso_idle = consume_idle,
	.cso_isover = consume_isover,
	.cso_fd = consume_fd,
	.cso_hangup = consume_hangup,
	.cso_close = consume_close,
};

/* Course */

/* Passes each probe of the script to a function; kind: of these only. */
static void
state_targets(struct script_state *ste, enum target_kind kind,
    void (*fn)(struct script_state *, const struct clause *,
	const struct script_probe *, const struct script_target *))
{
	struct script *sc = ste->ste_script;
	const struct clause *cl;
	const struct script_probe *sp;
	struct script_target tg;
	char why[256];

	for (cl = sc->scr_clauses; cl != NULL; cl = cl->cla_next)
		for (sp = cl->cla_probes; sp != NULL; sp = sp->scn_next) {
			if (script_target(sp->scn_name, &tg, why,
				sizeof(why)) == -1) {
				script_fail(&sc->scr_error, sp->scn_begin,
				    sp->scn_end, "%s", why);
				state_bad(ste);
			}
			if (tg.tg_kind == kind)
				fn(ste, cl, sp, &tg);
		}
}

static void
state_argument(void *arg, struct node *nd)
{
	const struct node **first = arg;

	if (*first == NULL &&
	    (nd->nd_kind == ND_FIELD ||
		(nd->nd_kind == ND_BUILTIN &&
		    nd->nd_builtin->sb_read == READ_ROOT)))
		*first = nd;
}

/* BEGIN and END are executed by dt, outside of a hit. */
static void
state_nohit(struct script_state *ste, const struct clause *cl,
    const struct script_probe *sp, const struct script_target *tg)
{
	struct script_error *ser = &ste->ste_script->scr_error;
	const struct node *nd = script_reads_first(cl), *argument = NULL;

	node_walk(cl->cla_pred, state_argument, &argument);
	node_walk(cl->cla_body, state_argument, &argument);
	if (argument != NULL)
		script_fail(ser, argument->nd_begin, argument->nd_end,
		    "%s has no arguments and no result", sp->scn_name);
	else if (nd != NULL && tg->tg_kind != TARGET_TIMER)
		script_fail(ser, nd->nd_begin, nd->nd_end,
		    "memory is read at hits of the kernel, and dt executes %s",
		    sp->scn_name);
	else
		return;
	state_bad(ste);
}

/* Returns whether dt ticks: it leaves clocks that read memory to the kernel. */
static int
state_isown(const struct clause *cl)
{
	return script_reads_first(cl) == NULL;
}

static void
state_need_session(struct script_state *ste, const struct clause *cl,
    const struct script_probe *sp, const struct script_target *tg)
{
	(void)sp;
	if (tg->tg_kind == TARGET_EVENT || !state_isown(cl))
		ste->ste_issession = 1;
}

static void
state_timer(struct script_state *ste, const struct clause *cl,
    const struct script_probe *sp, const struct script_target *tg)
{
	if (state_isown(cl))
		state_timer_add(ste, cl, sp, tg->tg_period);
}

static void
state_bind(struct script_state *ste, const struct clause *cl,
    const struct script_probe *sp, const struct script_target *tg)
{
	if (tg->tg_kind == TARGET_TIMER && state_isown(cl))
		return;
	if (script_bind(&ste->ste_bind, cl, sp, tg) == -1)
		state_bad(ste);
}

static void
state_sync(void *arg)
{
	script_lower_sync(&((struct script_state *)arg)->ste_lower);
}

/* After the last hit. */
static void
state_finish(struct script_state *ste)
{
	struct srun *sr = &ste->ste_run;

	if (ste->ste_issession)
		state_sync(ste);
	sr->srn_isover = 0;
	state_edge(ste, TARGET_END);
	if (!sr->srn_isjson && srun_hasmaps(sr))
		buf_c(&sr->srn_out, '\n');
	srun_maps(sr);
	(void)buf_flush(&sr->srn_out);
	srun_notes(sr);
}

static void
state_list(const struct script_state *ste)
{
	unsigned int i;

	for (i = 0; i < ste->ste_bind.sbi_n; i++)
		puts(ste->ste_bind.sbi_bounds[i]->bo_probe->pr_full);
}

/* With --dry-run, nothing is measured. */
static void
state_explain(const struct script_state *ste)
{
	struct script_costs *costs = NULL;
	struct buf b;

	if (!ste->ste_opts->sco_isdry)
		costs = script_costs_alloc(ste->ste_opts->sco_common.o_socket);
	buf_init(&b, STDOUT_FILENO);
	script_explain(ste->ste_script, &ste->ste_lower, costs, &b);
	(void)buf_flush(&b);
	buf_free(&b);
	script_costs_free(costs);
}

/* -l, --explain and --dry-run.  Returns whether there is nothing else to do. */
static int
state_look(struct script_state *ste)
{
	const struct script_opts *so = ste->ste_opts;

	if (so->sco_islist)
		state_list(ste);
	if (so->sco_isexplain)
		state_explain(ste);
	return so->sco_islist || so->sco_isexplain || so->sco_isdry;
}

static void
state_usym(void *arg, struct node *nd)
{
	if (nd->nd_kind == ND_CALL && nd->nd_func->sf_type == ST_USYM)
		*(int *)arg = 1;
}

/*
 * For usym(), dtd follows processes from the first request on, so this precedes
 * the command: a process may have ended when its symbols are requested.
 */
static void
state_follow(const struct script_state *ste)
{
	const uint64_t pc = 0;
	const struct clause *cl;
	struct dt_frames frames;
	int isused = 0;

	for (cl = ste->ste_script->scr_clauses; cl != NULL; cl = cl->cla_next)
		node_walk(cl->cla_body, state_usym, &isused);
	if (isused &&
	    dt_symbolize(ste->ste_session.ss_dt, getpid(), 0, &pc, 1, 0,
		&frames) == 0)
		dt_frames_free(&frames);
}

static int
state_session(struct script_state *ste)
{
	const struct consumer consumer = { NULL, &consume_ops, ste,
		CONSUMER_RAW };
	struct session *ss = &ste->ste_session;
	int isall, status = 0;

	ste->ste_ops = (struct session_ops){
		.so_openflags = DT_OPEN_ORDERED,
		.so_budget = SESSION_BUDGET,
		.so_moreflags = state_moreflags,
		.so_started = state_started,
		.so_idle = state_idle,
		.so_event = state_event,
		.so_prints = 1,
	};
	session_open(ss, &ste->ste_opts->sco_common, &ste->ste_ops, ste);
	session_consume(ss, &consumer);
	ste->ste_run.srn_names = &ss->ss_names;
	ste->ste_bind.sbi_script = ste->ste_script;
	ste->ste_bind.sbi_session = ss;
	ste->ste_bind.sbi_mayread = (dt_rights(ss->ss_dt) & RIGHT_TRACE_ALL) !=
	    0;
	if (script_reads_kaddrs(ste->ste_script, ss->ss_dt) == -1)
		state_bad(ste);
	state_targets(ste, TARGET_EVENT, state_bind);
	state_targets(ste, TARGET_TIMER, state_bind);
	/* --until needs the events that the kernel would count */
	isall = !ste->ste_opts->sco_nolower && ss->ss_opts->o_until.oun_n == 0;
	if (isall || ss->ss_opts->o_select.ose_if != NULL ||
	    ste->ste_opts->sco_isexplain)
		script_lower_plan(&ste->ste_lower, &ste->ste_bind,
		    &ste->ste_run, isall);
	if (!state_look(ste)) {
		script_bind_enable(&ste->ste_bind);
		script_reads_set(&ste->ste_bind);
		script_lower_set(&ste->ste_lower);
		state_follow(ste);
		if (ste->ste_lower.slo_rows.krw_nset > 0) {
			ste->ste_run.srn_sync = state_sync;
			ste->ste_run.srn_syncarg = ste;
		}
		session_run(ss);
		state_finish(ste);
		status = session_end(ss);
	} else {
		name_cache_free(&ss->ss_names);
		dt_close(ss->ss_dt);
	}
	script_lower_free(&ste->ste_lower);
	script_bind_free(&ste->ste_bind);
	return status;
}

/* Looks up addresses of the kernel, for a script without probes. */
static void
state_kaddrs(struct script_state *ste)
{
	const char *socket = ste->ste_opts->sco_common.o_socket;
	struct dt *dt;

	if (ste->ste_script->scr_nkaddrs == 0)
		return;
	dt = refusal_open(socket, socket != NULL ? DT_OPEN_SERVICE : 0);
	if (script_reads_kaddrs(ste->ste_script, dt) == -1)
		state_bad(ste);
	dt_close(dt);
}

/* Waits for timers and signals, without a daemon. */
static int
state_alone(struct script_state *ste)
{
	const struct opts *o = &ste->ste_opts->sco_common;
	uint64_t now = clock_monotonic(), end = UINT64_MAX, next;
	struct srun *sr = &ste->ste_run;
	const struct script_timer *stm;
	struct command cd;
	int signo, byprocess;

	state_kaddrs(ste);
	if (state_look(ste))
		return 0;
	command_init(&cd);
	if (o->o_command != NULL)
		command_start(&cd, o->o_command);
	sigs_init(1);
	state_timers_start(ste, now);
	if (o->o_duration != 0)
		end = now + o->o_duration;
	state_edge(ste, TARGET_BEGIN);
	if (o->o_command != NULL)
		command_go(&cd);
	while (!sr->srn_isover && sr->srn_out.b_error == 0 &&
	    sigs_count(&signo, &byprocess) == 0) {
		struct pollfd pfd = { .fd = cd.cd_pidfd, .events = POLLIN };

		now = clock_monotonic();
		if (now >= end)
			break;
		state_timers(ste, now);
		(void)buf_flush(&sr->srn_out);
		if (sr->srn_isover)
			break;
		stm = state_timer_next(ste);
		next = stm != NULL && stm->stm_due < end ? stm->stm_due : end;
		now = clock_monotonic();
		sigs_poll(&pfd, 1,
		    next == UINT64_MAX ? -1
			: next > now   ? (int64_t)(next - now)
				       : 0);
		if (pfd.revents != 0 && command_wait(&cd, 0))
			break;
	}
	state_finish(ste);
	return cd.cd_status;
}

static void
state_note(const struct script_state *ste)
{
	const struct script *sc = ste->ste_script;

	if (!ste->ste_opts->sco_common.o_print.opi_verbose)
		return;
	if (sc->scr_nincludes > 0)
		warnx("%s: #include is ignored: constants are built in",
		    ste->ste_name);
	if (sc->scr_nstructs > 0)
		warnx("%s: definitions of structs are ignored: the kernel has "
		      "their types",
		    ste->ste_name);
	if (sc->scr_config > 0)
		warnx("%s: config = { ... } is ignored; dt run has options",
		    ste->ste_name);
}

static int
state_output(const struct script_opts *so)
{
	const struct opts_print *pr = &so->sco_common.o_print;
	int fd;

	if (so->sco_output == NULL)
		return pr->opi_json && pr->opi_fd != 0 ? pr->opi_fd
						       : STDOUT_FILENO;
	fd = open(so->sco_output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0666);
	if (fd == -1)
		err(1, "%s", so->sco_output);
	return fd;
}

int
script_session(const struct script_opts *so, const char *name, const char *text,
    char **params, unsigned int nparams)
{
	const struct script_limits limits = {
		so->sco_keys != 0 ? so->sco_keys : SCRIPT_KEYS,
		so->sco_string != 0 ? so->sco_string : SCRIPT_STRING,
		so->sco_loops != 0 ? so->sco_loops : SCRIPT_LOOPS,
	};
	struct script_state *ste = calloc(1, sizeof(*ste));
	int status;

	if (ste == NULL)
		err(1, NULL);
	ste->ste_opts = so;
	ste->ste_name = name;
	ste->ste_script = script_open(text, params, nparams, so->sco_isunsafe);
	if (ste->ste_script == NULL)
		err(1, NULL);
	if (ste->ste_script->scr_error.ser_is)
		state_bad(ste);
	state_note(ste);
	state_targets(ste, TARGET_BEGIN, state_nohit);
	state_targets(ste, TARGET_END, state_nohit);
	state_targets(ste, TARGET_TIMER, state_nohit);
	state_targets(ste, TARGET_EVENT, state_need_session);
	state_targets(ste, TARGET_TIMER, state_need_session);
	state_targets(ste, TARGET_TIMER, state_timer);
	srun_init(&ste->ste_run, ste->ste_script, state_output(so), &limits);
	ste->ste_run.srn_isjson = so->sco_common.o_print.opi_json;
	status = ste->ste_issession ? state_session(ste) : state_alone(ste);
	if (ste->ste_run.srn_status != 0)
		status = ste->ste_run.srn_status & 0xff;
	srun_free(&ste->ste_run);
	script_free(ste->ste_script);
	free(ste->ste_timers);
	free(ste);
	return status;
}
