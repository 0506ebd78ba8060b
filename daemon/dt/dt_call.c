/* SPDX-License-Identifier: ISC */
/* Commands and jobs of an open in their turn (turn.h): which take long. */
#include "dt_softc.h"

/* They wait for what the open has attached. */
static int
dt_call_islong(const struct dt_softc *sc)
{
	return sc->ds_nslow + sc->ds_ntp > DT_NSLOW;
}

int
dt_call_later(struct dt_softc *sc, struct ioctl_call *ic, void (*run)(void *),
    void (*done)(void *))
{
	return turn_call(&sc->ds_turn, ic, run, done, dt_call_islong(sc));
}

int
dt_call_alone(struct dt_softc *sc, struct ioctl_call *ic, void (*run)(void *),
    void (*done)(void *))
{
	return turn_call(&sc->ds_turn, ic, run, done, 1);
}

void
dt_job_run(struct dt_softc *sc, void (*run)(void *), void (*done)(void *))
{
	turn_job(&sc->ds_turn, run, done, dt_call_islong(sc));
}

int
dt_call_hold(void *arg, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *ic)
{
	struct dt_softc *sc = arg;

	return turn_hold(&sc->ds_turn, fn, ic);
}
