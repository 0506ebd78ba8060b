/* SPDX-License-Identifier: ISC */
/*
 * ENABLE and DISABLE: the probes of a session, and requests that change an
 * enabled probe. The first ENABLE creates the session's rings and may have to
 * load a provider's programs, so it runs on a worker; later ones get a reply at
 * once.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/access/limit.h"
#include "daemon/access/right.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/device/grace_period.h"
#include "daemon/dt/dt_agg.h"
#include "daemon/dt/dt_cond.h"
#include "daemon/dt/dt_follow.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_pair.h"
#include "daemon/dt/dt_pcb.h"
#include "daemon/dt/dt_reads.h"
#include "daemon/dt/dt_row_table.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/dt/dt_tables.h"

/* Returns which set has a probe's bit, and its number there. */
static int
dt_enabled_set(uint32_t *pbn)
{
	if (*pbn < DT_PBN_USER)
		return 0;
	*pbn = (*pbn - DT_PBN_USER) % DT_PBN_USER_EACH;
	return 1;
}

/* Grows the bit set for a bit; a session may have tens of thousands. */
static int
dt_enabled_grow(struct dt_enabled *en, uint32_t pbn)
{
	struct dt_bits *set = &en->den_bits[dt_enabled_set(&pbn)];
	uint32_t n = (pbn | 4095) + 1;
	uint64_t *words;

	if (pbn < set->btt_n)
		return 0;
	if ((words = realloc(set->btt_words, n / 8)) == NULL)
		return ENOMEM;
	memset((char *)words + set->btt_n / 8, 0, (n - set->btt_n) / 8);
	set->btt_words = words;
	set->btt_n = n;
	return 0;
}

static int
dt_enabled_has(const struct dt_enabled *en, uint32_t pbn)
{
	const struct dt_bits *set = &en->den_bits[dt_enabled_set(&pbn)];

	return pbn < set->btt_n && (set->btt_words[pbn / 64] >> (pbn % 64) & 1);
}

static void
dt_enabled_mark(struct dt_enabled *en, uint32_t pbn, int on)
{
	struct dt_bits *set = &en->den_bits[dt_enabled_set(&pbn)];
	uint64_t bit = 1ULL << (pbn % 64);

	if (on)
		set->btt_words[pbn / 64] |= bit;
	else
		set->btt_words[pbn / 64] &= ~bit;
}

struct dt_pcb *
dt_pcb_find(const struct dt_enabled *en, uint32_t pbn)
{
	struct dt_pcb *dp;

	if (!dt_enabled_has(en, pbn))
		return NULL;
	TAILQ_FOREACH(dp, &en->den_pcbs, dp_snext)
		if (dp->dp_dtp->dtp_pbn == pbn)
			return dp;
	return NULL;
}

uint8_t
dt_pcb_evtflags(uint64_t flags)
{
	_Static_assert(DT_EVT_EXECNAME == DTEVT_EXECNAME &&
		DT_EVT_USTACK == DTEVT_USTACK &&
		DT_EVT_KSTACK == DTEVT_KSTACK &&
		DT_EVT_FUNCARGS == DTEVT_FUNCARGS,
	    "the flags of the BSD original are the low bits of both");
	_Static_assert(DT_EVT_WHO == DTEVT_WHO >> 4 &&
		DT_EVT_STRINGS == DTEVT_STRINGS >> 4 &&
		DT_EVT_MEMORY == DTEVT_MEMORY >> 4 &&
		DT_EVT_DATA == DTEVT_DATA >> 4,
	    "our flags are the next bits");

	return (flags & 0xf) | (flags >> 4 & 0xf0);
}

#define FUNC_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_FUNCARGS | \
	    DTEVT_WHO | DTEVT_STRINGS)

void
dt_pcb_func(struct dt_pcb *dp, const struct dtioc_req *rq)
{
	uint64_t texts = DTEVT_TEXT(DTEVT_NTEXTS) - DTEVT_TEXT(0);

	dp->dp_texts = rq->dtrq_evtflags & (texts | DTEVT_RETTEXT);
	dp->dp_req.rq_evtflags = dt_pcb_evtflags(
	    rq->dtrq_evtflags & FUNC_EVTFLAGS);
	if (dp->dp_texts != 0)
		dp->dp_req.rq_evtflags |= DT_EVT_STRINGS;
}

#define CLOCK_EVTFLAGS \
	(DTEVT_EXECNAME | DTEVT_USTACK | DTEVT_KSTACK | DTEVT_WHO)

int
dt_pcb_period(struct dt_pcb *dp, const struct dtioc_req *rq, uint64_t min,
    uint64_t max)
{
	if (rq->dtrq_nsecs < min || rq->dtrq_nsecs > max)
		return EINVAL;
	dp->dp_nsecs = rq->dtrq_nsecs;
	dp->dp_req.rq_evtflags = dt_pcb_evtflags(
	    rq->dtrq_evtflags & CLOCK_EVTFLAGS);
	return 0;
}

int
dt_pcb_links(struct dt_pcb *dp)
{
	unsigned int cpu;

	dp->dp_links = malloc(dt_ncpu * sizeof(*dp->dp_links));
	if (dp->dp_links == NULL)
		return ENOMEM;
	for (cpu = 0; cpu < dt_ncpu; cpu++)
		dp->dp_links[cpu] = -1;
	return 0;
}

void
dt_pcb_free(struct dt_pcb *dp)
{
	if (dp == NULL)
		return;
	dt_row_put(DT_ROW_COND, dp->dp_req.rq_cond);
	dt_reads_drop(dp);
	free(dp->dp_cond);
	free(dp->dp_links);
	limit_give(dp->dp_person, LIMIT_PROBES, 1);
	free(dp);
}

void
dt_enabled_init(struct dt_enabled *en, const struct dt_client *dcl,
    const struct dt_settings *ds, struct dt_counted *counted)
{
	en->den_client = dcl;
	en->den_settings = ds;
	en->den_counted = counted;
	TAILQ_INIT(&en->den_pcbs);
}

void
dt_enabled_free(struct dt_enabled *en)
{
	struct dt_pcb *dp;

	while ((dp = TAILQ_FIRST(&en->den_pcbs)) != NULL) {
		TAILQ_REMOVE(&en->den_pcbs, dp, dp_snext);
		dt_pcb_free(dp);
	}
	free(en->den_bits[0].btt_words);
	free(en->den_bits[1].btt_words);
	dt_file_free_all(&en->den_files);
}

uint8_t
dt_enabled_evtflags(const struct dt_enabled *en)
{
	const struct dt_pcb *dp;
	uint8_t flags = 0;

	TAILQ_FOREACH(dp, &en->den_pcbs, dp_snext)
		flags |= dp->dp_req.rq_evtflags;
	return flags;
}

/*
 * Parts of the first ENABLE that wait; each but the last has its own thread,
 * since each waits 10 to 30 ms for the kernel.
 */
struct enable_part {
	int (*ep_run)(struct dt_softc *, struct reason *rs);
	int ep_isneeded;
	struct dt_softc *ep_sc;
	pthread_t ep_thread;
	int ep_error;
	struct reason ep_reason;
};

static int
dt_enable_rings(struct dt_softc *sc, struct reason *rs)
{
	int error = dt_rings_alloc(&sc->ds_rings, &sc->ds_client,
	    sc->ds_stream);

	if (error != 0)
		reason_set(rs, "cannot make rings: %s%s", strerror(error),
		    error == ENOMEM ? " (or vm.max_map_count is reached: "
				      "2 mappings each)"
				    : "");
	return error;
}

static int
dt_enable_provider(struct dt_softc *sc, struct reason *rs)
{
	struct dt_enabled *en = &sc->ds_enabled;

	return dt_probe_load(en, en->den_pcb, dt_tables_isrequested(en), rs);
}

static void *
dt_enable_thread(void *arg)
{
	struct enable_part *ep = arg;

	ep->ep_error = ep->ep_run(ep->ep_sc, &ep->ep_reason);
	return NULL;
}

static int
dt_enable_tables(struct dt_softc *sc, struct reason *rs __attribute__((unused)))
{
	dt_tables_hold(&sc->ds_enabled);
	return 0;
}

static int
dt_enable_follow(struct dt_softc *sc __attribute__((unused)), struct reason *rs)
{
	return dt_follow_load(rs);
}

static int
dt_enable_first(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct enable_part parts[] = {
		{ .ep_run = dt_enable_provider,
		    .ep_isneeded = !dt_probe_ready(&sc->ds_enabled,
			sc->ds_enabled.den_pcb,
			dt_tables_isrequested(&sc->ds_enabled)) },
		{ .ep_run = dt_enable_tables,
		    .ep_isneeded = dt_tables_iswanted(&sc->ds_enabled) },
		{ .ep_run = dt_enable_follow,
		    .ep_isneeded = dt_follow_isneeded(&sc->ds_settings) },
		{ .ep_run = dt_enable_rings, .ep_isneeded = 1 },
	};
	const size_t n = sizeof(parts) / sizeof(parts[0]);
	char threaded[sizeof(parts) / sizeof(parts[0])];
	struct dt_count *counts;
	size_t i;
	int error = 0;

	for (i = 0; i < DT_NTALLY; i++)
		if ((counts = dt_counts_of(sc->ds_client.dcl_slot, i)) != NULL)
			memset(counts, 0, dt_ncpu * sizeof(*counts));
	for (i = 0; i < n; i++) {
		parts[i].ep_sc = sc;
		threaded[i] = parts[i].ep_isneeded && i < n - 1 &&
		    pthread_create(&parts[i].ep_thread, NULL, dt_enable_thread,
			&parts[i]) == 0;
		if (parts[i].ep_isneeded && !threaded[i])
			(void)dt_enable_thread(&parts[i]);
	}
	for (i = 0; i < n; i++) {
		if (threaded[i])
			pthread_join(parts[i].ep_thread, NULL);
		if (error == 0 && (error = parts[i].ep_error) != 0)
			op->op_reason = parts[i].ep_reason;
	}
	if (error == 0)
		atomic_store(&sc->ds_rings.drg_isready, 1);
	else
		dt_rings_free(&sc->ds_rings, &sc->ds_client);
	return error;
}

/* On a worker: does everything slow before the probe may be enabled. */
static int
dt_enable_prepare(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	int error;

	if ((error = dt_maps_init()) != 0)
		return op_fail(op, error, "cannot make BPF maps: %s%s",
		    strerror(error),
		    error == EPERM
			? " (it needs root, or CAP_BPF and CAP_PERFMON)"
			: "");
	if (sc->ds_rings.drg_rings.ri_rings == NULL) {
		if ((error = dt_pidns_resolve(&sc->ds_pidns,
			 &sc->ds_client.dcl_peer, &op->op_reason)) != 0)
			return error;
		return dt_enable_first(op);
	}
	if (dt_tables_iswanted(&sc->ds_enabled))
		(void)dt_enable_tables(sc, &op->op_reason);
	return dt_enable_provider(sc, &op->op_reason);
}

static int
dt_enable_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	int error = dt_enable_prepare(op);

	if (error != 0)
		return error;
	dt_sym_enable(&sc->ds_sym, sc->ds_enabled.den_pcb);
	return 0;
}

/* Enables what was prepared, or frees it. Returns the result of both. */
static int
dt_enable_commit(struct dt_softc *sc, int error, struct reason *rs)
{
	struct dt_pcb *dp = sc->ds_enabled.den_pcb;
	uint32_t pbn = dp->dp_dtp->dtp_pbn;

	if (error == 0 && dp->dp_cond != NULL)
		error = dt_cond_set(dp, dp->dp_cond, rs);
	if (error == 0) {
		TAILQ_INSERT_TAIL(&sc->ds_enabled.den_pcbs, dp, dp_snext);
		atomic_fetch_or(&sc->ds_counted.dcn_tallies,
		    1U << dp->dp_dtp->dtp_prov->prov_rec->pvr_tally);
		audit_probe(&sc->ds_audit, dp->dp_dtp->dtp_prov->prov_name,
		    dp->dp_dtp->dtp_func, dp->dp_dtp->dtp_name);
		dt_enabled_mark(&sc->ds_enabled, pbn, 1);
	} else {
		dt_pcb_free(dp);
		if (sc->ds_rings.drg_rings.ri_rings == NULL)
			dt_rings_uncharge(&sc->ds_rings, &sc->ds_client);
	}
	sc->ds_enabled.den_pcb = NULL;
	return error;
}

static int
dt_enable_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;

	if (sc->ds_sym.dsu_held)
		dt_sym_used(&sc->ds_sym);
	return dt_enable_commit(sc, error, &op->op_reason);
}

/* EMFILE: the session has reached the provider's limit of probes. */
static int
dt_enable_max(const struct dt_softc *sc, const struct dt_provider *prov,
    struct reason *rs)
{
	const struct dt_pcb *dp;
	unsigned int n = 0;

	if (prov->prov_rec->pvr_max == 0)
		return 0;
	TAILQ_FOREACH(dp, &sc->ds_enabled.den_pcbs, dp_snext)
		n += dp->dp_dtp->dtp_prov == prov;
	if (n < prov->prov_rec->pvr_max)
		return 0;
	return reason_fail(rs, EMFILE, "no more than %u probes of %s at once",
	    prov->prov_rec->pvr_max, prov->prov_name);
}

/* ENOENT, then the provider's right, then EEXIST, EBUSY, the provider's. */
static int
dt_enable_check(struct dt_softc *sc, const struct dtioc_req *rq,
    struct dt_probe **dtpp, struct reason *rs)
{
	struct dt_probe *dtp;
	char what[64];
	int error;

	if ((dtp = dt_probe_of(&sc->ds_enabled, rq->dtrq_pbn)) == NULL)
		return ENOENT;
	snprintf(what, sizeof(what), "probes of provider %s",
	    dtp->dtp_prov->prov_name);
	error = right_check(&sc->ds_client.dcl_peer, dtp->dtp_prov->prov_rights,
	    what, rs);
	if (error != 0)
		return error;
	if (dt_pcb_find(&sc->ds_enabled, rq->dtrq_pbn) != NULL)
		return EEXIST;
	if (sc->ds_recording)
		return EBUSY;
	*dtpp = dtp;
	if (dtp->dtp_prov->prov_dyn != NULL)
		return dtp->dtp_prov->prov_dyn->dyn_refuse(dtp, rs);
	return dt_enable_max(sc, dtp->dtp_prov, rs);
}

/*
 * Keeps the condition until it gets an entry. A probe that takes none ignores
 * the filter of version 1, as that did.
 */
static int
dt_pcb_keep(struct dt_pcb *dp, const struct dt_cond *co)
{
	if (co == NULL || dp->dp_dtp->dtp_prov->prov_args == NULL)
		return 0;
	if ((dp->dp_cond = malloc(sizeof(*co))) == NULL)
		return ENOMEM;
	*dp->dp_cond = *co;
	return 0;
}

/* Creates a pcb, which the provider fills. */
static int
dt_pcb_alloc(struct dt_softc *sc, struct dt_probe *dtp,
    const struct dtioc_req *rq, const struct dt_cond *co, uint8_t bits,
    struct dt_pcb **dpp, struct reason *rs)
{
	uid_t person = sc->ds_client.dcl_peer.peer_person;
	struct dt_pcb *dp;
	int error;

	if ((error = limit_take(person, LIMIT_PROBES, 1, rs)) != 0)
		return error;
	if ((dp = calloc(1, sizeof(*dp))) == NULL) {
		limit_give(person, LIMIT_PROBES, 1);
		return ENOMEM;
	}
	dp->dp_person = person;
	dp->dp_dtp = dtp;
	dp->dp_req.rq_bits = bits;
	if ((error = dt_pcb_keep(dp, co)) != 0 ||
	    (error = dtp->dtp_prov->prov_rec->pvr_alloc(&sc->ds_enabled, dp,
		 rq)) != 0) {
		if (error == EINVAL)
			reason_set(rs,
			    "the period is too short or too long for this probe");
		dt_pcb_free(dp);
		return error;
	}
	dt_tables_request(&sc->ds_enabled, dp, rq);
	dp->dp_hasreads = (rq->dtrq_evtflags & DTEVT_READS) != 0;
	sc->ds_enabled.den_hasreads |= dp->dp_hasreads;
	*dpp = dp;
	return 0;
}

int
dt_pcb_enable(struct op *op, const struct dtioc_req *rq,
    const struct dt_cond *co, uint8_t bits)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_probe *dtp;
	int error;

	if ((error = dt_enable_check(sc, rq, &dtp, &op->op_reason)) != 0)
		return error;
	if ((error = dt_enabled_grow(&sc->ds_enabled, rq->dtrq_pbn)) != 0 ||
	    (error = dt_pcb_alloc(sc, dtp, rq, co, bits,
		 &sc->ds_enabled.den_pcb, &op->op_reason)) != 0)
		return error;
	if (sc->ds_rings.drg_rings.ri_rings != NULL &&
	    dt_probe_ready(&sc->ds_enabled, sc->ds_enabled.den_pcb,
		dt_tables_isrequested(&sc->ds_enabled)) &&
	    !dt_tables_iswanted(&sc->ds_enabled))
		return dt_enable_commit(sc, 0, &op->op_reason);
	if (sc->ds_rings.drg_rings.ri_rings == NULL &&
	    (error = dt_rings_charge(&sc->ds_rings, &sc->ds_client,
		 dt_rings_size(sc->ds_rings.drg_budget) * dt_ncpu,
		 &op->op_reason)) != 0)
		return dt_enable_commit(sc, error, &op->op_reason);
	return op_later(op, dt_enable_run, dt_enable_done,
	    dt_enabled_isslow(&sc->ds_enabled));
}

int
dt_ioctl_probe_enable(struct op *op)
{
	return dt_pcb_enable(op, op->op_arg, NULL, 0);
}

/* On a worker: no hit of the probe is in progress when this returns. */
static int
dt_disable_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_pcb *dp = sc->ds_enabled.den_pcb, *other = dp->dp_other;
	int isstarted = other != NULL && other->dp_started;

	dp->dp_dtp->dtp_prov->prov_rec->pvr_stop(&sc->ds_enabled, dp);
	if (isstarted)
		other->dp_dtp->dtp_prov->prov_rec->pvr_stop(&sc->ds_enabled,
		    other);
	grace_period();
	dt_agg_part(sc, dp);
	dt_pair_part(sc, dp);
	if (!isstarted)
		return 0;
	/* an ordinary probe from now on */
	other->dp_started = other->dp_dtp->dtp_prov->prov_rec
				->pvr_start(&sc->ds_enabled, other) == 0;
	if (!other->dp_started)
		log_warnx(
		    "session %u: probe %u, whose pair has ended, does not "
		    "start again",
		    sc->ds_client.dcl_slot, other->dp_dtp->dtp_pbn);
	return 0;
}

static int
dt_disable_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;

	dt_pcb_free(sc->ds_enabled.den_pcb);
	sc->ds_enabled.den_pcb = NULL;
	return error;
}

/* Removes a probe from the session's list. */
static void
dt_pcb_remove(struct dt_softc *sc, struct dt_pcb *dp)
{
	uint32_t pbn = dp->dp_dtp->dtp_pbn;

	TAILQ_REMOVE(&sc->ds_enabled.den_pcbs, dp, dp_snext);
	dt_enabled_mark(&sc->ds_enabled, pbn, 0);
}

/* Frees a removed probe that does not record. */
static void
dt_pcb_drop(struct dt_softc *sc, struct dt_pcb *dp)
{
	dt_agg_part(sc, dp);
	dt_pair_part(sc, dp);
	dt_pcb_free(dp);
}

void
dt_pcb_drop_refused(struct dt_softc *sc)
{
	const struct dt_dynprobes *dyn;
	struct dt_pcb *dp, *next;
	struct reason rs;

	for (dp = TAILQ_FIRST(&sc->ds_enabled.den_pcbs); dp != NULL;
	     dp = next) {
		next = TAILQ_NEXT(dp, dp_snext);
		dyn = dp->dp_dtp->dtp_prov->prov_dyn;
		if (dyn == NULL || dyn->dyn_refuse(dp->dp_dtp, &rs) == 0)
			continue;
		dt_pcb_remove(sc, dp);
		dt_pcb_drop(sc, dp);
	}
}

/*
 * Detaches and frees the probe, also while recording; data in the rings stays
 * readable. The BSD original called the provider only, and left the probe
 * enabled.
 */
int
dt_pcb_disable(struct op *op, uint32_t pbn)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_pcb *dp;

	if ((dp = dt_pcb_find(&sc->ds_enabled, pbn)) == NULL)
		return ENOENT;
	dt_pcb_remove(sc, dp);
	if (!dp->dp_started) {
		dt_pcb_drop(sc, dp);
		return 0;
	}
	sc->ds_enabled.den_pcb = dp;
	return op_later(op, dt_disable_run, dt_disable_done,
	    dt_enabled_isslow(&sc->ds_enabled));
}

int
dt_ioctl_probe_disable(struct op *op)
{
	const struct dtioc_req *rq = op->op_arg;

	return dt_pcb_disable(op, rq->dtrq_pbn);
}

/* Finds a probe that may be changed: ENOENT; EBUSY while it records. */
static int
dt_pcb_find_idle(struct op *op, uint32_t pbn, struct dt_pcb **dpp)
{
	const struct dt_softc *sc = op->op_sc;

	if ((*dpp = dt_pcb_find(&sc->ds_enabled, pbn)) == NULL)
		return op_fail(op, ENOENT, "probe %u is not enabled", pbn);
	return sc->ds_recording ? EBUSY : 0;
}

int
dt_ioctl_set_condition(struct op *op)
{
	struct dtioc_condition cn;
	struct dt_pcb *dp;
	int error;

	memcpy(&cn, op->op_arg, sizeof(cn));
	if ((error = dt_pcb_find_idle(op, cn.dtcn_pbn, &dp)) != 0)
		return error;
	return dt_cond_request(dp, &cn, &op->op_reason);
}

int
dt_ioctl_set_reads(struct op *op)
{
	struct dtioc_reads ir;
	struct dt_pcb *dp;
	int error;

	memcpy(&ir, op->op_arg, sizeof(ir));
	if ((error = dt_pcb_find_idle(op, ir.dtrd_pbn, &dp)) != 0)
		return error;
	return dt_reads_set(dp, &ir, &op->op_reason);
}

int
dt_file_add_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	return dt_file_add(op, &sc->ds_enabled);
}
