/* SPDX-License-Identifier: ISC */
/*
 * Queues ioctls and jobs of the session (op_queue.h).  They run on a worker one
 * at a time, so that only one uses counters and rings.
 */
#include <stdio.h>

#include "daemon/tprof/tprof_softc.h"

static void
call_run(void *arg)
{
	struct tprof_softc *sc = arg;

	sc->tps_queue.oq_error = sc->tps_fn(sc->tps_queue.oq_call);
}

int
tprof_call_later(struct ioctl_call *ic, int (*fn)(struct ioctl_call *))
{
	struct tprof_softc *sc = &tprof_softc;

	sc->tps_fn = fn;
	return op_queue_call(&sc->tps_queue, ic, call_run, NULL, 0);
}

/*
 * The daemon's own stop
 */

static void
end_run(void *arg)
{
	struct tprof_softc *sc = arg;

	tprof_stop_noted(sc->tps_endnote);
}

static void
end_done(void *arg)
{
	struct tprof_softc *sc = arg;

	sc->tps_endnote[0] = '\0';
	op_queue_job_done(&sc->tps_queue);
}

static void
end_job(void *arg)
{
	struct tprof_softc *sc = arg;

	op_queue_job(&sc->tps_queue, end_run, end_done, 0);
}

void
tprof_call_end(const char *note)
{
	struct tprof_softc *sc = &tprof_softc;

	if (sc->tps_closing || sc->tps_endnote[0] != '\0')
		return;
	snprintf(sc->tps_endnote, sizeof(sc->tps_endnote), "%s", note);
	op_queue_ask(&sc->tps_queue, end_job);
}

int
tprof_call_hold(void *arg, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *ic)
{
	struct tprof_softc *sc = arg;

	return op_queue_hold(&sc->tps_queue, fn, ic);
}
