/* SPDX-License-Identifier: ISC */
/*
 * RECORD: starts and stops a session. Start writes the session's entry of the
 * table and attaches what is not attached yet. Stop removes the session from
 * all masks, waits until no program works for it, and replies; the data thread
 * sends the rest and the END block. Hooks without users are detached after the
 * reply.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/base/workers.h"
#include "daemon/device/grace_period.h"
#include "daemon/device/stream.h"
#include "daemon/dt/dt_agg.h"
#include "daemon/dt/dt_drain.h"
#include "daemon/dt/dt_exclude.h"
#include "daemon/dt/dt_follow.h"
#include "daemon/dt/dt_ioctl.h"
#include "daemon/dt/dt_maps.h"
#include "daemon/dt/dt_pair.h"
#include "daemon/dt/dt_record.h"
#include "daemon/dt/dt_session_sums.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/dt/dt_tables.h"
#include "daemon/perf/perf_event.h"

/* Hooks to be released by a worker. */
struct release {
	struct work rel_work; /* first: work is release */
	unsigned int rel_bits;
};

/* All bits, if the filter has this field. */
static uint64_t
filter_mask(const struct dtioc_filter *fi, uint32_t bit)
{
	return fi->dtfi_set & bit ? UINT64_MAX : 0;
}

/*
 * Writes the processes of the session's filter, by the low bits of their pids.
 * A following session does this for each process that it adds.
 */
static void
dt_bypid_write(const struct dt_softc *sc)
{
	const struct dtioc_filter *fi = &sc->ds_settings.dst_filter;
	uint64_t bit = 1ULL << (sc->ds_client.dcl_slot % 64);
	__u64 *word;
	unsigned int i;
	int follows = dt_follow_isneeded(&sc->ds_settings);
	/* Pids of other namespaces do not match the bits that BPF checks. */
	int all = (fi->dtfi_set & DTFI_PID) == 0 || sc->ds_pidns.dpn_inum != 0;

	for (i = 0; i < DT_BYPID; i++) {
		word = &dt_maps.dtm_table
			    ->t_bypid[i][sc->ds_client.dcl_slot / 64];
		if (!follows && (all || fi->dtfi_pid % DT_BYPID == i))
			__atomic_or_fetch(word, bit, __ATOMIC_SEQ_CST);
		else
			__atomic_and_fetch(word, ~bit, __ATOMIC_SEQ_CST);
	}
}

/*
 * Writes the owner whose processes the session may see. From here on its rings
 * receive nothing of other users, even after errors.
 */
static void
dt_owner_write(const struct dt_softc *sc)
{
	struct dt_table *t = dt_maps.dtm_table;
	const struct owner *ow = &sc->ds_client.dcl_peer.peer_owner;
	uint64_t bit = 1ULL << (sc->ds_client.dcl_slot % 64);
	__u64 *word = &t->t_own[sc->ds_client.dcl_slot / 64];

	t->t_owner[sc->ds_client.dcl_slot] = (struct dt_owner){
		.ow_caps = ow->onr_caps,
		.ow_uid = ow->onr_uid,
		.ow_gid = ow->onr_gid,
		.ow_userns = ow->onr_userns
	};
	if (dt_client_islimited(&sc->ds_client) &&
	    (sc->ds_client.dcl_peer.peer_rights & RIGHT_PROFILE) == 0)
		__atomic_or_fetch(word, bit, __ATOMIC_SEQ_CST);
	else
		__atomic_and_fetch(word, ~bit, __ATOMIC_SEQ_CST);
}

/* Returns the level of the session and of its client while it records. */
static enum dt_level
dt_level(const struct dt_softc *sc)
{
	unsigned int rights = sc->ds_client.dcl_peer.peer_rights;

	return rights & RIGHT_ADMIN    ? DT_LEVEL_ADMIN
	    : rights & RIGHT_TRACE_ALL ? DT_LEVEL_ALL
				       : DT_LEVEL_USER;
}

/* Returns the DT_SESS_* flags of the session's rights. */
static uint32_t
dt_right_flags(const struct dt_softc *sc)
{
	unsigned int rights = sc->ds_client.dcl_peer.peer_rights;
	uint32_t flags = DT_SESS_OWN;

	if (rights & RIGHT_TRACE_ALL)
		return DT_SESS_KADDR;
	if (rights & RIGHT_PROFILE)
		flags |= DT_SESS_TICKS | DT_SESS_KADDR;
	if (dt_enabled_evtflags(&sc->ds_enabled) & DT_EVT_USTACK)
		flags |= DT_SESS_USTACK;
	return flags;
}

static uint32_t
dt_stack_flags(const struct dt_softc *sc)
{
	return dt_tables_isheld(&sc->ds_enabled) ? DT_SESS_TABLE : 0;
}

/* Writes the session's entry of the table; no mask has its bit yet. */
static void
dt_table_write(const struct dt_softc *sc)
{
	struct dt_sess *o = &dt_maps.dtm_table->t_sess[sc->ds_client.dcl_slot];
	const struct dtioc_filter *fi = &sc->ds_settings.dst_filter;
	int follows = dt_follow_isneeded(&sc->ds_settings);
	int hascgroup = (fi->dtfi_set & DTFI_CGROUP) != 0;
	uint64_t id, idmask;

	id = DT_ID(fi->dtfi_pid, fi->dtfi_tid);
	idmask = DT_ID((uint32_t)filter_mask(fi, follows ? 0 : DTFI_PID),
	    (uint32_t)filter_mask(fi, DTFI_TID));
	o->ses_id = id;
	o->ses_idmask = sc->ds_pidns.dpn_inum == 0 ? idmask : 0;
	o->ses_nsid = id;
	o->ses_nsidmask = idmask;
	o->ses_nsinum = sc->ds_pidns.dpn_inum;
	o->ses_nslevel = sc->ds_pidns.dpn_level;
	o->ses_uid = fi->dtfi_uid;
	o->ses_uidmask = filter_mask(fi, DTFI_UID);
	if ((sc->ds_client.dcl_peer.peer_rights & RIGHT_TRACE) ==
		RIGHT_TRACE_OWN &&
	    (fi->dtfi_set & DTFI_UID) == 0) {
		/* rejects early what would not pass anyway */
		o->ses_uid = sc->ds_client.dcl_peer.peer_owner.onr_uid;
		o->ses_uidmask = UINT64_MAX;
	}
	memcpy(o->ses_comm, fi->dtfi_comm, sizeof(o->ses_comm));
	o->ses_commmask = filter_mask(fi, DTFI_COMM);
	o->ses_mode = sc->ds_mode;
	o->ses_cgroup = fi->dtfi_cgroup;
	o->ses_cglevel = fi->dtfi_cgrouplevel;
	o->ses_run = atomic_load(&sc->ds_counted.dcn_runs) + 1;
	o->ses_level = dt_level(sc);
	/*
	 * A process named by a filter, or run for the client, is not excluded.
	 */
	o->ses_flags = (sc->ds_settings.dst_self || (fi->dtfi_set & DTFI_PID)
			       ? DT_SESS_SELF
			       : 0) |
	    (follows ? DT_SESS_FOLLOW : 0) | (hascgroup ? DT_SESS_CGROUP : 0) |
	    dt_right_flags(sc) | dt_stack_flags(sc);
	dt_owner_write(sc);
	__atomic_store_n(&o->ses_gen, sc->ds_client.dcl_gen, __ATOMIC_SEQ_CST);
	dt_bypid_write(sc);
}

static void
dt_stop_pcbs(struct dt_softc *sc)
{
	struct dt_pcb *dp;

	TAILQ_FOREACH(dp, &sc->ds_enabled.den_pcbs, dp_snext)
		if (dp->dp_started)
			dp->dp_dtp->dtp_prov->prov_rec
			    ->pvr_stop(&sc->ds_enabled, dp);
}

/* Starts those probes that are the return of a call, or the others. */
static int
dt_start_some(struct op *op, int returns)
{
	struct dt_softc *sc = op->op_sc;
	struct dt_pcb *dp;
	int error;

	TAILQ_FOREACH(dp, &sc->ds_enabled.den_pcbs, dp_snext) {
		if ((strcmp(dp->dp_dtp->dtp_name, "return") == 0) != returns)
			continue;
		if (atomic_load(&sc->ds_enabled.den_cancel))
			return ECANCELED;
		error = dp->dp_dtp->dtp_prov->prov_rec
			    ->pvr_start(&sc->ds_enabled, dp);
		if (error != 0)
			return op_fail(op, error, "cannot attach %s:%s:%s: %s",
			    dp->dp_dtp->dtp_prov->prov_name,
			    dp->dp_dtp->dtp_func, dp->dp_dtp->dtp_name,
			    perf_event_strerror(error));
		dp->dp_started = 1;
	}
	return 0;
}

/* The returns are first: each call whose entry is recorded has one. */
static int
dt_start_pcbs(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	int error;

	if ((error = dt_start_some(op, 1)) != 0 ||
	    (error = dt_start_some(op, 0)) != 0)
		return error;
	return dt_provs_attach(&sc->ds_enabled, &op->op_reason);
}

static void
dt_release_run(struct work *w)
{
	struct release *rl = (struct release *)w;

	dt_hook_put(rl->rel_bits);
	free(rl);
}

/* Detaches, without waiting, what only this session used. */
static void
dt_release(struct dt_softc *sc)
{
	struct release *rl;
	unsigned int bits = sc->ds_enabled.den_hooks;

	sc->ds_enabled.den_hooks = 0;
	if (bits == 0)
		return;
	if ((rl = calloc(1, sizeof(*rl))) == NULL) {
		dt_hook_put(bits);
		return;
	}
	rl->rel_bits = bits;
	rl->rel_work.w_run = dt_release_run;
	rl->rel_work.w_person = sc->ds_client.dcl_peer.peer_person;
	workers_submit(&rl->rel_work);
}

/*
 * Waits without a grace period, if all programs that may work for the session
 * count themselves.  Returns whether it has.
 */
static int
dt_isdrained(const struct dt_softc *sc)
{
	const struct dt_pcb *dp;

	TAILQ_FOREACH(dp, &sc->ds_enabled.den_pcbs, dp_snext)
		if (!dp->dp_dtp->dtp_prov->prov_rec->pvr_drains)
			return 0;
	return dt_drain();
}

/* Waits until no program works for the session. Worker. */
static void
dt_quiesce(struct dt_softc *sc)
{
	struct dt_pcb *dp;

	dt_provs_halt(&sc->ds_enabled);
	dt_stop_pcbs(sc);
	dt_follow_halt(&sc->ds_enabled);
	if (!dt_isdrained(sc))
		grace_period();
	dt_follow_stop(&sc->ds_enabled);
	dt_provs_detach(&sc->ds_enabled);
	dt_pair_stop(sc);
	TAILQ_FOREACH(dp, &sc->ds_enabled.den_pcbs, dp_snext)
		dp->dp_started = 0;
	dt_exclude_del(sc->ds_pidns.dpn_kpid, dt_level(sc));
}

void
dt_record_stop(struct dt_softc *sc)
{
	dt_quiesce(sc);
	dt_ledger_stop(sc);
	dt_release(sc);
	atomic_store(&sc->ds_stopped, 1);
	stream_kick(sc->ds_stream);
}

static int
dt_start_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	int error;

	/* A pending END of the last run would be late. */
	atomic_store(&sc->ds_stopped, 0);
	atomic_store(&sc->ds_cost.dco_limited, 0);
	dt_hottest_probe_clear(&sc->ds_cost.dco_votes);
	if ((error = dt_tables_load(&sc->ds_enabled, &op->op_reason)) != 0)
		return error;
	if ((error = dt_exclude_add(sc->ds_pidns.dpn_kpid, dt_level(sc))) != 0)
		return op_fail(op, error, "cannot leave the client out: %s",
		    strerror(error));
	dt_table_write(sc);
	dt_sums_start(sc);
	dt_sym_start(&sc->ds_sym, &sc->ds_enabled);
	dt_pair_start(sc);
	if ((error = dt_agg_start(sc)) != 0 ||
	    (error = dt_follow_start(&sc->ds_enabled, &sc->ds_pidns,
		 &op->op_reason)) != 0 ||
	    (error = dt_start_pcbs(op)) != 0) {
		dt_quiesce(sc);
		dt_release(sc);
		return error;
	}
	dt_ledger_start(sc);
	atomic_fetch_add(&sc->ds_counted.dcn_runs, 1);
	return 0;
}

static int
dt_start_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;

	if (error == EADDRNOTAVAIL)
		dt_pcb_drop_refused(sc);
	sc->ds_recording = error == 0;
	if (sc->ds_recording) {
		dt_cost_add(&sc->ds_cost);
		stream_kick(sc->ds_stream);
	}
	return error;
}

static int
dt_stop_run(struct op *op)
{
	dt_record_stop(op->op_sc);
	return 0;
}

static int
dt_stop_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;

	sc->ds_recording = 0;
	dt_cost_del(&sc->ds_cost);
	if (sc->ds_sym.dsu_held)
		dt_sym_used(&sc->ds_sym);
	return error;
}

/* dtd is exiting: the client receives END with the ledger and the reason. */
static int
dt_exit_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	atomic_store(&sc->ds_counted.dcn_ended, 1);
	return dt_stop_run(op);
}

int
dt_record_exit(struct op *op)
{
	const struct dt_softc *sc = op->op_sc;

	if (!sc->ds_recording)
		return 0;
	return op_later(op, dt_exit_run, dt_stop_done,
	    dt_enabled_isslow(&sc->ds_enabled));
}

static int
dt_limit_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	atomic_store(&sc->ds_cost.dco_limited, DT_COST_LIMITED);
	dt_sums_limited();
	return dt_stop_run(op);
}

int
dt_record_limit(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	if (!sc->ds_recording)
		return 0;
	dt_cost_limit_report(&sc->ds_cost);
	return op_later(op, dt_limit_run, dt_stop_done,
	    dt_enabled_isslow(&sc->ds_enabled));
}

/* Stops the recording, with a note, if a provider requests it. */
static int
dt_check_run(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	struct reason rs = { "" };

	if (dt_provs_check(&sc->ds_enabled, &rs) == 0)
		return 0;
	memset(sc->ds_cost.dco_note, 0, sizeof(sc->ds_cost.dco_note));
	snprintf(sc->ds_cost.dco_note, sizeof(sc->ds_cost.dco_note), "%s",
	    rs.rsn_text);
	atomic_store(&sc->ds_cost.dco_limited, DT_COST_CHANGED);
	sc->ds_isstopping = 1;
	return dt_stop_run(op);
}

static int
dt_check_done(struct op *op, int error)
{
	struct dt_softc *sc = op->op_sc;

	if (!sc->ds_isstopping)
		return error;
	sc->ds_isstopping = 0;
	return dt_stop_done(op, error);
}

static int
dt_check_job(struct op *op)
{
	struct dt_softc *sc = op->op_sc;

	if (!sc->ds_recording)
		return 0;
	return op_later(op, dt_check_run, dt_check_done,
	    dt_enabled_isslow(&sc->ds_enabled));
}

void
dt_record_tick(struct dt_softc *sc)
{
	if (sc->ds_recording && sc->ds_enabled.den_nusers > 0)
		op_request(sc->ds_queue, dt_check_job);
}

/* Start: EBUSY, then ENOENT.  Stop never fails. */
int
dt_ioctl_record(struct op *op)
{
	struct dt_softc *sc = op->op_sc;
	int on;

	memcpy(&on, op->op_arg, sizeof(on));
	if (on && sc->ds_recording)
		return EBUSY;
	if (on && TAILQ_EMPTY(&sc->ds_enabled.den_pcbs))
		return op_fail(op, ENOENT, "no probe is enabled");
	if (!on && !sc->ds_recording)
		return 0;
	return op_later(op, on ? dt_start_run : dt_stop_run,
	    on ? dt_start_done : dt_stop_done,
	    dt_enabled_isslow(&sc->ds_enabled));
}
