/* SPDX-License-Identifier: ISC */
/*
 * Commands and jobs of the open in their turn (op_queue.h): a worker does them
 * all, so one at a time has counters and rings.
 */
#include <stdio.h>

#include "daemon/tprof/tprof_softc.h"

static void
call_run(void *arg)
{
	struct tprof_softc *sc = arg;

	sc->ts_queue.oq_error = sc->ts_fn(sc->ts_queue.oq_call);
}

int
tprof_call_later(struct ioctl_call *ic, int (*fn)(struct ioctl_call *))
{
	struct tprof_softc *sc = &tprof_softc;

	sc->ts_fn = fn;
	return op_queue_call(&sc->ts_queue, ic, call_run, NULL, 0);
}

/*
 * The daemon's own stop
 */

static void
end_run(void *arg)
{
	struct tprof_softc *sc = arg;

	tprof_stop_noted(sc->ts_endnote);
}

static void
end_done(void *arg)
{
	struct tprof_softc *sc = arg;

	sc->ts_endnote[0] = '\0';
	op_queue_job_done(&sc->ts_queue);
}

static void
end_job(void *arg)
{
	struct tprof_softc *sc = arg;

	op_queue_job(&sc->ts_queue, end_run, end_done, 0);
}

void
tprof_call_end(const char *note)
{
	struct tprof_softc *sc = &tprof_softc;

	if (sc->ts_closing || sc->ts_endnote[0] != '\0')
		return;
	snprintf(sc->ts_endnote, sizeof(sc->ts_endnote), "%s", note);
	op_queue_ask(&sc->ts_queue, end_job);
}

int
tprof_call_hold(void *arg, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *ic)
{
	struct tprof_softc *sc = arg;

	return op_queue_hold(&sc->ts_queue, fn, ic);
}
