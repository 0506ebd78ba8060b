/* SPDX-License-Identifier: ISC */
/*
 * Separate programs, which contain the walk, serve sessions with unwind tables.
 * They are loaded for the first of them, since the verifier takes some time.
 * Hooks in use keep their programs.  Probes with reads (dt_reads.c) use these
 * programs, too.
 */
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/dt/dt_tables.h"
#include "daemon/unwind/unwind.h"

/* The session's name in copies of stacks. */
static uint64_t
session_id(const struct dt_enabled *en)
{
	return UNWIND_SESSION(en->den_client->dcl_slot,
	    en->den_client->dcl_gen);
}

void
dt_tables_request(struct dt_enabled *en, const struct dt_pcb *dp,
    const struct dtioc_req *rq)
{
	if ((rq->dtrq_evtflags & DTEVT_UTABLE) != 0 &&
	    (dp->dp_req.rq_evtflags & DT_EVT_USTACK) != 0 &&
	    dp->dp_dtp->dtp_prov->prov_rec->pvr_tables &&
	    atomic_load(&en->den_tables) == DT_TABLES_NONE)
		atomic_store(&en->den_tables, DT_TABLES_WANTED);
}

int
dt_tables_isrequested(const struct dt_enabled *en)
{
	int how = atomic_load(&en->den_tables);

	return how == DT_TABLES_WANTED || how == DT_TABLES_HELD;
}

void
dt_tables_hold(struct dt_enabled *en)
{
	int error = unwind_hold(en->den_client->dcl_peer.peer_uid);

	if (error == 0 && (error = unwind_copies_open(session_id(en))) != 0)
		unwind_release();
	if (error != 0)
		log_warnx("session %u: user stacks by frame pointers: %s",
		    en->den_client->dcl_slot, strerror(error));
	atomic_store(&en->den_tables,
	    error == 0 ? DT_TABLES_HELD : DT_TABLES_FAILED);
}

int
dt_tables_load(struct dt_enabled *en, struct reason *rs)
{
	int how = atomic_load(&en->den_tables), tables = how == DT_TABLES_HELD;
	struct dt_pcb *dp;
	int error;

	atomic_store(&en->den_notables, how == DT_TABLES_FAILED);
	TAILQ_FOREACH(dp, &en->den_pcbs, dp_snext) {
		if (!dt_probe_ready(en, dp, tables) &&
		    (error = dt_probe_load(en, dp, tables, rs)) != 0)
			return error;
		/* another session may load the programs later */
		dp->dp_walks = (tables || dp->dp_hasreads) &&
		    dt_probe_walks(dp->dp_dtp);
		if (tables && dp->dp_dtp->dtp_prov->prov_rec->pvr_tables &&
		    !dp->dp_walks)
			dt_tables_failed(en);
	}
	return 0;
}

void
dt_tables_failed(struct dt_enabled *en)
{
	atomic_store(&en->den_notables, 1);
}

void
dt_tables_close(struct dt_enabled *en)
{
	if (atomic_exchange(&en->den_tables, DT_TABLES_NONE) != DT_TABLES_HELD)
		return;
	unwind_copies_close(session_id(en));
	unwind_release();
}
