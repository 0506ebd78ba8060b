/* SPDX-License-Identifier: ISC */
/*
 * dtd is to end: opens that record stop by themselves.  The END that their
 * clients get has the ledger, and says why it came.
 */
#include "dt_cost.h"
#include "dt_softc.h"

static void
end_run(void *arg)
{
	struct dt_softc *sc = arg;

	atomic_store(&sc->ds_ended, 1);
	dt_record_stop(sc);
}

static void
end_done(void *arg)
{
	struct dt_softc *sc = arg;

	sc->ds_recording = 0;
	dt_cost_del(sc);
	turn_job_done(&sc->ds_turn);
}

/* No command of the open is under way: it may have stopped in the meantime. */
static void
end_job(void *arg)
{
	struct dt_softc *sc = arg;

	if (sc->ds_recording)
		dt_job_run(sc, end_run, end_done);
}

int
dt_drain_open(void *arg)
{
	struct dt_softc *sc = arg;

	if (!sc->ds_recording)
		return 0;
	turn_ask(&sc->ds_turn, end_job);
	return 1;
}
