/* SPDX-License-Identifier: ISC */
/*
 * What is done to the open, one thing after another, by a worker: commands of
 * its client, and the daemon's own stop.  A command that comes while that is
 * under way is held until it has ended, and so is the close; a stop that is
 * due while a command is under way comes behind it.
 */
#include <stdio.h>
#include <string.h>

#include "tprof_softc.h"

static void call_end_start(struct tprof_softc *);

static void
call_run(struct work *w __attribute__((unused)))
{
	struct tprof_softc *sc = &tprof_softc;

	pthread_mutex_lock(&tprof_startstop_mtx);
	sc->ts_error = sc->ts_fn(sc->ts_call);
	pthread_mutex_unlock(&tprof_startstop_mtx);
}

/* The stop goes first: with the answer the client may be gone. */
static void
call_done(struct work *w __attribute__((unused)))
{
	struct tprof_softc *sc = &tprof_softc;
	struct ioctl_call *ic = sc->ts_call;
	int error = sc->ts_error;

	sc->ts_call = NULL;
	if (sc->ts_endnote[0] != '\0')
		call_end_start(sc);
	ioctl_done(ic, error);
}

int
tprof_call_later(struct ioctl_call *ic, int (*fn)(struct ioctl_call *))
{
	struct tprof_softc *sc = &tprof_softc;

	sc->ts_call = ic;
	sc->ts_fn = fn;
	sc->ts_work.w_run = call_run;
	sc->ts_work.w_done = call_done;
	work_submit(&sc->ts_work);
	return IOCTL_LATER;
}

static void
call_end_run(struct work *w __attribute__((unused)))
{
	pthread_mutex_lock(&tprof_startstop_mtx);
	tprof_stop_noted(tprof_softc.ts_endnote);
	pthread_mutex_unlock(&tprof_startstop_mtx);
}

static void
call_end_done(struct work *w __attribute__((unused)))
{
	struct tprof_softc *sc = &tprof_softc;
	struct ioctl_call *ic = sc->ts_held;
	int error;

	sc->ts_ending = 0;
	sc->ts_endnote[0] = '\0';
	sc->ts_held = NULL;
	if (sc->ts_closing) {
		tprof_close(sc);
		return;
	}
	if (ic == NULL)
		return;
	error = sc->ts_heldfn(sc, ic);
	if (error != IOCTL_LATER)
		ioctl_done(ic, error);
}

static void
call_end_start(struct tprof_softc *sc)
{
	sc->ts_ending = 1;
	sc->ts_work.w_run = call_end_run;
	sc->ts_work.w_done = call_end_done;
	work_submit(&sc->ts_work);
}

void
tprof_call_end(const char *note)
{
	struct tprof_softc *sc = &tprof_softc;

	if (sc->ts_closing || sc->ts_endnote[0] != '\0')
		return;
	snprintf(sc->ts_endnote, sizeof(sc->ts_endnote), "%s", note);
	if (sc->ts_call == NULL)
		call_end_start(sc);
}

int
tprof_call_hold(void *arg, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *ic)
{
	struct tprof_softc *sc = arg;

	if (!sc->ts_ending)
		return 0;
	sc->ts_heldfn = fn;
	sc->ts_held = ic;
	return 1;
}
