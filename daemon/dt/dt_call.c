/* SPDX-License-Identifier: ISC */
/*
 * What is done to an open, one thing after another: commands of its client
 * that go to a worker, and jobs of the daemon's own.  A command that comes
 * while such a job is under way is held until that has ended, and so is the
 * close; a job that is due while a command is under way comes behind it.
 */
#include <assert.h>

#include "dt_softc.h"

static void
dt_call_run(struct dt_softc *sc, void (*run)(struct work *),
    void (*done)(struct work *))
{
	sc->ds_busy = 1;
	sc->ds_work.w_run = run;
	sc->ds_work.w_done = done;
	if (sc->ds_nslow + sc->ds_ntp > DT_NSLOW)
		work_alone(&sc->ds_work);
	else
		work_submit(&sc->ds_work);
}

int
dt_call_later(struct dt_softc *sc, struct ioctl_call *ic,
    void (*run)(struct work *), void (*done)(struct work *))
{
	sc->ds_call = ic;
	dt_call_run(sc, run, done);
	return IOCTL_LATER;
}

int
dt_call_alone(struct dt_softc *sc, struct ioctl_call *ic,
    void (*run)(struct work *), void (*done)(struct work *))
{
	sc->ds_call = ic;
	sc->ds_busy = 1;
	sc->ds_work.w_run = run;
	sc->ds_work.w_done = done;
	work_alone(&sc->ds_work);
	return IOCTL_LATER;
}

/* Jobs that are due, until one of them is under way. */
static void
dt_job_next(struct dt_softc *sc)
{
	void (*job)(struct dt_softc *);
	int i;

	for (i = 0; i < DT_NJOBS && !sc->ds_busy; i++)
		if ((job = sc->ds_jobs[i]) != NULL) {
			sc->ds_jobs[i] = NULL;
			job(sc);
		}
}

/* The job goes first: with the answer the client may be gone. */
void
dt_call_done(struct dt_softc *sc, int error)
{
	struct ioctl_call *ic = sc->ds_call;

	sc->ds_call = NULL;
	sc->ds_busy = 0;
	dt_job_next(sc);
	ioctl_done(ic, error);
}

void
dt_job_ask(struct dt_softc *sc, void (*job)(struct dt_softc *))
{
	int i;

	if (sc->ds_closing)
		return;
	for (i = 0; i < DT_NJOBS; i++)
		if (sc->ds_jobs[i] == NULL || sc->ds_jobs[i] == job)
			break;
	assert(i < DT_NJOBS);
	sc->ds_jobs[i] = job;
	dt_job_next(sc);
}

void
dt_job_run(struct dt_softc *sc, void (*run)(struct work *),
    void (*done)(struct work *))
{
	sc->ds_injob = 1;
	dt_call_run(sc, run, done);
}

void
dt_job_done(struct dt_softc *sc)
{
	struct ioctl_call *ic = sc->ds_held;
	int error = IOCTL_LATER;

	sc->ds_busy = 0;
	sc->ds_injob = 0;
	sc->ds_held = NULL;
	if (sc->ds_closing) {
		dt_softc_close(sc);
		return;
	}
	if (ic != NULL)
		error = sc->ds_heldfn(sc, ic);
	dt_job_next(sc);
	if (error != IOCTL_LATER)
		ioctl_done(ic, error);
}

int
dt_call_hold(void *arg, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *ic)
{
	struct dt_softc *sc = arg;

	if (!sc->ds_injob)
		return 0;
	sc->ds_heldfn = fn;
	sc->ds_held = ic;
	return 1;
}
