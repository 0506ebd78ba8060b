/* SPDX-License-Identifier: ISC */
/* What is done to an open, one thing after another: see op_queue.h. */
#include <assert.h>
#include <string.h>

#include "daemon/access/charge.h"
#include "daemon/device/op_queue.h"

static void
turn_run(struct work *w)
{
	const struct turn *tu = (const struct turn *)w;
	uint64_t from = charge_now();

	tu->tu_run(tu->tu_sc);
	charge_cpu(tu->tu_person, charge_now() - from);
}

static void
turn_ran(struct work *w)
{
	struct turn *tu = (struct turn *)w;

	if (tu->tu_done != NULL)
		tu->tu_done(tu->tu_sc);
	else if (tu->tu_injob)
		turn_job_done(tu);
	else
		turn_done(tu, tu->tu_error);
}

static void
turn_start(struct turn *tu, void (*run)(void *), void (*done)(void *),
    int islong)
{
	tu->tu_isbusy = 1;
	tu->tu_error = 0;
	tu->tu_run = run;
	tu->tu_done = done;
	tu->tu_work.w_run = turn_run;
	tu->tu_work.w_done = turn_ran;
	if (islong)
		workers_alone(&tu->tu_work);
	else
		workers_submit(&tu->tu_work);
}

void
turn_init(struct turn *tu, void *sc, uid_t person)
{
	memset(tu, 0, sizeof(*tu));
	tu->tu_sc = sc;
	tu->tu_person = person;
}

int
turn_call(struct turn *tu, struct ioctl_call *ic, void (*run)(void *),
    void (*done)(void *), int islong)
{
	tu->tu_call = ic;
	turn_start(tu, run, done, islong);
	return IOCTL_LATER;
}

/* Jobs that are due, until one of them is under way. */
static void
turn_next(struct turn *tu)
{
	void (*job)(void *);
	int i;

	for (i = 0; i < TURN_NJOBS && !tu->tu_isbusy; i++)
		if ((job = tu->tu_jobs[i]) != NULL) {
			tu->tu_jobs[i] = NULL;
			job(tu->tu_sc);
		}
}

void
turn_done(struct turn *tu, int error)
{
	struct ioctl_call *ic = tu->tu_call;

	tu->tu_call = NULL;
	tu->tu_isbusy = 0;
	turn_next(tu);
	ioctl_done(ic, error);
}

int
turn_hold(struct turn *tu, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *ic)
{
	if (!tu->tu_injob)
		return 0;
	tu->tu_heldfn = fn;
	tu->tu_held = ic;
	return 1;
}

void
turn_ask(struct turn *tu, void (*job)(void *))
{
	int i;

	if (tu->tu_close != NULL)
		return;
	for (i = 0; i < TURN_NJOBS; i++)
		if (tu->tu_jobs[i] == NULL || tu->tu_jobs[i] == job)
			break;
	assert(i < TURN_NJOBS);
	tu->tu_jobs[i] = job;
	turn_next(tu);
}

void
turn_job(struct turn *tu, void (*run)(void *), void (*done)(void *), int islong)
{
	tu->tu_injob = 1;
	turn_start(tu, run, done, islong);
}

void
turn_job_done(struct turn *tu)
{
	struct ioctl_call *ic = tu->tu_held;
	int error = IOCTL_LATER;

	tu->tu_isbusy = 0;
	tu->tu_injob = 0;
	tu->tu_held = NULL;
	if (tu->tu_close != NULL) {
		turn_start(tu, tu->tu_close, tu->tu_closed, 0);
		return;
	}
	if (ic != NULL)
		error = tu->tu_heldfn(tu->tu_sc, ic);
	turn_next(tu);
	if (error != IOCTL_LATER)
		ioctl_done(ic, error);
}

void
turn_close(struct turn *tu, void (*run)(void *), void (*done)(void *))
{
	tu->tu_close = run;
	tu->tu_closed = done;
	if (!tu->tu_isbusy)
		turn_start(tu, run, done, 0);
}
