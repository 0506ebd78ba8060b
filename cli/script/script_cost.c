/* SPDX-License-Identifier: ISC */
/*
 * Measures costs in a second session: dt makes calls with a recording, and before
 * and after it without, and compares the times.  The fastest of several rounds
 * counts, since interrupts, other programs and other tracers only add time.
 */
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <libdt.h>

#include "cli/cond/cond.h"
#include "cli/script/script_bind.h"
#include "cli/script/script_cost.h"
#include "common/clock.h"

#define COST_ROUNDS  9
#define COST_CALLS   500     /* of a round: their events fit into the rings */
#define COST_BUDGET  4194304 /* bytes of rings */
#define COST_TIMEOUT 1000    /* ms for the events of a round */
#define COST_KINDS   16

struct cost_row {
	struct cost_kind cro_kind;
	struct cost cro_cost;
	int cro_isknown;
};

struct script_costs {
	const char *scs_socket;
	struct dt *scs_dt; /* NULL: not open */
	struct name_cache scs_names;
	char scs_why[256]; /* of the first failure, or "" */
	struct cost_row scs_rows[COST_KINDS];
	unsigned int scs_n;
};

/* The probes of one measurement. */
struct cost_run {
	struct script_costs *crn_costs;
	const struct cost_kind *crn_kind;
	struct dtioc_probe_info crn_probes[2];
	unsigned int crn_nprobes;
};

struct script_costs *
script_costs_alloc(const char *socket)
{
	struct script_costs *scs = calloc(1, sizeof(*scs));

	if (scs == NULL)
		err(1, NULL);
	scs->scs_socket = socket;
	return scs;
}

void
script_costs_free(struct script_costs *scs)
{
	if (scs == NULL)
		return;
	if (scs->scs_dt != NULL) {
		name_cache_free(&scs->scs_names);
		dt_close(scs->scs_dt);
	}
	free(scs);
}

const char *
script_costs_why(const struct script_costs *scs)
{
	return scs->scs_why[0] != '\0' ? scs->scs_why : NULL;
}

/* Keeps why it cannot be measured.  Returns -1. */
static int
cost_fail(struct script_costs *scs, const char *why)
{
	if (scs->scs_why[0] == '\0')
		snprintf(scs->scs_why, sizeof(scs->scs_why), "%s", why);
	return -1;
}

static int
cost_open(struct script_costs *scs)
{
	struct dtioc_filter fi = { .dtfi_set = DTFI_PID, .dtfi_pid = getpid() };
	uint64_t budget = COST_BUDGET;

	if (scs->scs_dt != NULL || scs->scs_why[0] != '\0')
		return scs->scs_dt != NULL ? 0 : -1;
	scs->scs_dt = dt_open(scs->scs_socket,
	    DT_OPEN_ORDERED | (scs->scs_socket != NULL ? DT_OPEN_SERVICE : 0));
	if (scs->scs_dt == NULL)
		return cost_fail(scs, dt_error(NULL));
	name_cache_init(&scs->scs_names, scs->scs_dt);
	if (dt_ioctl(scs->scs_dt, DTIOCSFILTER, &fi) == -1 ||
	    dt_ioctl(scs->scs_dt, DTIOCSBUDGET, &budget) == -1)
		return cost_fail(scs, dt_error(scs->scs_dt));
	return 0;
}

/* Calls */

/* A descriptor that does not exist: the kernel reads the text and returns. */
static int
cost_istext(const struct cost_kind *ck)
{
	return (ck->ckn_evtflags & DTEVT_STRINGS) != 0;
}

/* Returns the ns of a round of calls. */
static uint64_t
cost_calls(const struct cost_kind *ck)
{
	uint64_t start = clock_monotonic();
	unsigned int i;

	for (i = 0; i < COST_CALLS; i++)
		if (cost_istext(ck))
			(void)syscall(SYS_faccessat, -1, "measured/by/dt", 0);
		else
			(void)syscall(SYS_getppid);
	return clock_monotonic() - start;
}

/* Enabling */

static int
cost_enable(struct cost_run *crn, const char *part)
{
	const uint64_t flags = crn->crn_kind->ckn_evtflags &
	    (COST_FLAGS | DTEVT_STRINGS);
	struct dt *dt = crn->crn_costs->scs_dt;
	struct dtioc_probe_info *pi;
	struct dtioc_req rq = { .dtrq_evtflags = flags | DTEVT_EXECNAME };
	char name[64];

	snprintf(name, sizeof(name), "syscall:%s:%s",
	    cost_istext(crn->crn_kind) ? "faccessat" : "getppid", part);
	if (dt_lookup(dt, name, &pi) == -1)
		return -1;
	crn->crn_probes[crn->crn_nprobes] = *pi;
	free(pi);
	rq.dtrq_pbn = crn->crn_probes[crn->crn_nprobes].dtpi_pbn;
	if (dt_ioctl(dt, DTIOCPRBENABLE, &rq) == -1)
		return -1;
	crn->crn_nprobes++;
	return 0;
}

static void
cost_disable(const struct cost_run *crn)
{
	unsigned int i;

	for (i = 0; i < crn->crn_nprobes; i++) {
		struct dtioc_req rq = {
			.dtrq_pbn = crn->crn_probes[i].dtpi_pbn
		};

		(void)dt_ioctl(crn->crn_costs->scs_dt, DTIOCPRBDISABLE, &rq);
	}
}

static int
cost_join(const struct cost_run *crn)
{
	const struct dt_opd tid = { .op_kind = DT_OPD_TID, .op_size = 4 };
	struct dtioc_pair pa = { .dtpa_from = crn->crn_probes[0].dtpi_pbn,
		.dtpa_to = crn->crn_probes[1].dtpi_pbn,
		.dtpa_nkeys = 1,
		.dtpa_fromkey = { tid },
		.dtpa_tokey = { tid } };

	return dt_ioctl(crn->crn_costs->scs_dt, DTIOCSPAIR, &pa);
}

/* A condition that no hit of dt fulfils. */
static int
cost_condition(const struct cost_run *crn)
{
	struct script_costs *scs = crn->crn_costs;
	struct dtioc_condition dc = { .dtcn_pbn = crn->crn_probes[0].dtpi_pbn };
	const struct probe *pr = name_cache_probe(&scs->scs_names, dc.dtcn_pbn);
	struct cond_expr *ce = malloc(sizeof(*ce));
	struct cond_error er;
	int r = -1;

	if (ce == NULL)
		err(1, NULL);
	if (pr != NULL && cond_parse(ce, "pid == 1", &er) == 0 &&
	    cond_compile(ce, pr, pr, &dc.dtcn_cond, &er) == 0)
		r = dt_ioctl(scs->scs_dt, DTIOCSCONDITION, &dc);
	free(ce);
	return r;
}

/* Counts hits by program. */
static int
cost_count(const struct cost_run *crn)
{
	struct dtioc_agg ag = {
		.dtag_pbn = crn->crn_probes[crn->crn_nprobes - 1].dtpi_pbn,
		.dtag_nkeys = 1,
		.dtag_keys = { { .op_kind = DT_OPD_COMM } },
	};

	return dt_ioctl(crn->crn_costs->scs_dt, DTIOCSAGG, &ag);
}

static int
cost_prepare(struct cost_run *crn)
{
	const struct cost_kind *ck = crn->crn_kind;

	if (cost_enable(crn, "entry") == -1 ||
	    (ck->ckn_ispair &&
		(cost_enable(crn, "return") == -1 || cost_join(crn) == -1)))
		return -1;
	switch (ck->ckn_how) {
	case COST_DROPPED:
		return cost_condition(crn);
	case COST_COUNTED:
		return cost_count(crn);
	default:
		return 0;
	}
}

/* Reading */

static uint64_t
cost_cputime(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

/* Returns the ns of a statement for an event. */
static uint64_t
cost_statement(const struct dt_event *ev)
{
	static const struct script_limits limits = { SCRIPT_KEYS, SCRIPT_STRING,
		SCRIPT_LOOPS };
	const struct script_hit sh = { .sht_name = "getppid",
		.sht_func = "getppid" };
	struct script *sc = script_open("BEGIN { @[comm] = count(); }", NULL, 0,
	    0);
	uint64_t start, ns;
	struct srun sr;
	unsigned int i;

	if (sc == NULL)
		err(1, NULL);
	srun_init(&sr, sc, -1, &limits);
	start = cost_cputime();
	for (i = 0; i < COST_CALLS; i++)
		srun_clause(&sr, sc->scr_clauses, &sh, ev, ev->ev_rec->dr_time);
	ns = (cost_cputime() - start) / COST_CALLS;
	srun_free(&sr);
	script_free(sc);
	return ns;
}

/* Reads the events of a round. */
static int
cost_read(const struct cost_run *crn, struct cost *cst)
{
	struct dt *dt = crn->crn_costs->scs_dt;
	uint64_t start = cost_cputime(), ns;
	struct dt_event ev;
	unsigned int n;

	for (n = 0; n < COST_CALLS; n++)
		if (dt_next(dt, &ev, COST_TIMEOUT) != 1)
			return -1;
	ns = (cost_cputime() - start) / COST_CALLS;
	if (cst->cto_read == 0 || ns < cst->cto_read)
		cst->cto_read = ns;
	ns = cost_statement(&ev);
	if (cst->cto_statement == 0 || ns < cst->cto_statement)
		cst->cto_statement = ns;
	return 0;
}

/* Stops, and reads the end of the recording. */
static int
cost_stop(const struct cost_run *crn)
{
	struct dt *dt = crn->crn_costs->scs_dt;
	struct dt_event ev;
	int off = 0;

	if (dt_ioctl(dt, DTIOCRECORD, &off) == -1)
		return -1;
	while (dt_next(dt, &ev, COST_TIMEOUT) == 1)
		continue;
	return errno == ENODATA ? 0 : -1;
}

/* *traced: ns of a call. */
static int
cost_rounds(const struct cost_run *crn, struct cost *cst, uint64_t *traced)
{
	uint64_t least = UINT64_MAX, ns;
	int i, on = 1, r = 0;

	if (dt_ioctl(crn->crn_costs->scs_dt, DTIOCRECORD, &on) == -1)
		return -1;
	for (i = 0; i < COST_ROUNDS && r == 0; i++) {
		ns = cost_calls(crn->crn_kind);
		if (ns < least)
			least = ns;
		if (crn->crn_kind->ckn_how == COST_EVENT)
			r = cost_read(crn, cst);
	}
	*traced = least / COST_CALLS;
	return cost_stop(crn) == -1 ? -1 : r;
}

/* Returns the ns of a call without a recording, or least if that is less. */
static uint64_t
cost_untraced(const struct cost_kind *ck, uint64_t least)
{
	uint64_t ns;
	int i;

	for (i = 0; i < COST_ROUNDS; i++)
		if ((ns = cost_calls(ck) / COST_CALLS) < least)
			least = ns;
	return least;
}

static int
cost_measure(struct script_costs *scs, const struct cost_kind *ck,
    struct cost *cst)
{
	struct cost_run crn = { .crn_costs = scs, .crn_kind = ck };
	uint64_t traced = 0, untraced = cost_untraced(ck, UINT64_MAX);
	struct dt_ledger dl;
	int r;

	r = cost_prepare(&crn);
	if (r == 0)
		r = cost_rounds(&crn, cst, &traced);
	if (r == -1)
		(void)cost_fail(scs, dt_error(scs->scs_dt));
	else if (dt_ledger(scs->scs_dt, &dl) == -1 || dl.dl_dropped > 0)
		r = cost_fail(scs, "events were lost");
	cost_disable(&crn);
	untraced = cost_untraced(ck, untraced);
	if (r == 0 && traced <= untraced)
		r = cost_fail(scs, "the machine is too busy");
	cst->cto_kernel = traced - untraced;
	return r;
}

static int
cost_issame(const struct cost_kind *a, const struct cost_kind *b)
{
	return a->ckn_how == b->ckn_how && a->ckn_ispair == b->ckn_ispair &&
	    a->ckn_evtflags == b->ckn_evtflags;
}

const struct cost *
script_costs_get(struct script_costs *scs, const struct cost_kind *wanted)
{
	struct cost_kind ck = *wanted;
	struct cost_row *cro;
	unsigned int i;

	ck.ckn_evtflags &= COST_FLAGS | DTEVT_STRINGS;
	if (ck.ckn_how != COST_EVENT)
		ck.ckn_evtflags = 0;
	for (i = 0; i < scs->scs_n; i++)
		if (cost_issame(&scs->scs_rows[i].cro_kind, &ck))
			break;
	if (i == COST_KINDS) {
		(void)cost_fail(scs, "the script has too many kinds of events");
		return NULL;
	}
	cro = &scs->scs_rows[i];
	if (i == scs->scs_n) {
		cro->cro_kind = ck;
		cro->cro_isknown = cost_open(scs) == 0 &&
		    cost_measure(scs, &ck, &cro->cro_cost) == 0;
		scs->scs_n++;
	}
	return cro->cro_isknown ? &cro->cro_cost : NULL;
}
