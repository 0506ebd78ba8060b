/* SPDX-License-Identifier: ISC */
/*
 * User stacks by unwind tables (DTEVT_UTABLE). A probe that requests them makes
 * all user stacks of its session use tables, until the session is closed.
 * Separate programs, which contain the walk, serve such sessions. They are
 * loaded for the first of them, since the verifier takes some time. Hooks in use
 * keep their programs.
 */
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/dt/dt_softc.h"
#include "daemon/unwind/unwind.h"

/* The session's name in copies of stacks. */
static uint64_t
session_id(const struct dt_softc *sc)
{
	return UNWIND_SESSION(sc->ds_slot, sc->ds_gen);
}

void
dt_tables_request(struct dt_softc *sc, const struct dt_pcb *dp,
    const struct dtioc_req *rq)
{
	if ((rq->dtrq_evtflags & DTEVT_UTABLE) != 0 &&
	    (dp->dp_req.rq_evtflags & DT_EVT_USTACK) != 0 &&
	    dp->dp_dtp->dtp_prov->prov_rec->pvr_tables &&
	    atomic_load(&sc->ds_tables) == DT_TABLES_NONE)
		atomic_store(&sc->ds_tables, DT_TABLES_WANTED);
}

int
dt_tables_isrequested(const struct dt_softc *sc)
{
	int how = atomic_load(&sc->ds_tables);

	return how == DT_TABLES_WANTED || how == DT_TABLES_HELD;
}

int
dt_tables_hold(struct dt_softc *sc, struct reason *rs __attribute__((unused)))
{
	int error = unwind_hold();

	if (error == 0 && (error = unwind_copies_open(session_id(sc))) != 0)
		unwind_release();
	if (error != 0)
		log_warnx("open %u: user stacks by frame pointers: %s",
		    sc->ds_slot, strerror(error));
	atomic_store(&sc->ds_tables,
	    error == 0 ? DT_TABLES_HELD : DT_TABLES_FAILED);
	return 0;
}

int
dt_tables_load(struct dt_softc *sc, struct reason *rs)
{
	int how = atomic_load(&sc->ds_tables), tables = how == DT_TABLES_HELD;
	const struct dt_pcb *dp;
	int error;

	atomic_store(&sc->ds_notables, how == DT_TABLES_FAILED);
	TAILQ_FOREACH(dp, &sc->ds_pcbs, dp_snext) {
		if (!dt_probe_ready(dp->dp_dtp, tables) &&
		    (error = dt_probe_load(dp->dp_dtp, tables, rs)) != 0)
			return error;
		if (tables && dp->dp_dtp->dtp_prov->prov_rec->pvr_tables &&
		    !dt_probe_walks(dp->dp_dtp))
			dt_tables_failed(sc);
	}
	return 0;
}

void
dt_tables_failed(struct dt_softc *sc)
{
	atomic_store(&sc->ds_notables, 1);
}

void
dt_tables_close(struct dt_softc *sc)
{
	if (atomic_exchange(&sc->ds_tables, DT_TABLES_NONE) != DT_TABLES_HELD)
		return;
	unwind_copies_close(session_id(sc));
	unwind_release();
}

int
dt_tables_isused(const struct dt_softc *sc, const struct dt_pcb *dp)
{
	return atomic_load(&sc->ds_tables) == DT_TABLES_HELD &&
	    dt_probe_walks(dp->dp_dtp);
}
