/* SPDX-License-Identifier: ISC */
/* Runs the operations of a session in order. */
#include <assert.h>
#include <string.h>

#include "daemon/access/charge.h"
#include "daemon/device/op_queue.h"

static void
op_queue_run(struct work *w)
{
	const struct op_queue *oq = (const struct op_queue *)w;
	uint64_t from = charge_now();

	oq->oq_run(oq->oq_sc);
	charge_cpu(oq->oq_person, charge_now() - from);
}

static void
op_queue_ran(struct work *w)
{
	struct op_queue *oq = (struct op_queue *)w;

	if (oq->oq_done != NULL)
		oq->oq_done(oq->oq_sc);
	else if (oq->oq_injob)
		op_queue_job_done(oq);
	else
		op_queue_done(oq, oq->oq_error);
}

static void
op_queue_start(struct op_queue *oq, void (*run)(void *), void (*done)(void *),
    int islong)
{
	oq->oq_isbusy = 1;
	oq->oq_error = 0;
	oq->oq_run = run;
	oq->oq_done = done;
	oq->oq_work.w_run = op_queue_run;
	oq->oq_work.w_done = op_queue_ran;
	if (islong)
		workers_alone(&oq->oq_work);
	else
		workers_submit(&oq->oq_work);
}

void
op_queue_init(struct op_queue *oq, void *sc, uid_t person)
{
	memset(oq, 0, sizeof(*oq));
	oq->oq_sc = sc;
	oq->oq_person = person;
}

int
op_queue_call(struct op_queue *oq, struct ioctl_call *ic, void (*run)(void *),
    void (*done)(void *), int islong)
{
	oq->oq_call = ic;
	op_queue_start(oq, run, done, islong);
	return IOCTL_LATER;
}

/* Jobs that are due, until one of them is under way. */
static void
op_queue_next(struct op_queue *oq)
{
	void (*job)(void *);
	int i;

	for (i = 0; i < OP_QUEUE_NJOBS && !oq->oq_isbusy; i++)
		if ((job = oq->oq_jobs[i]) != NULL) {
			oq->oq_jobs[i] = NULL;
			job(oq->oq_sc);
		}
}

void
op_queue_done(struct op_queue *oq, int error)
{
	struct ioctl_call *ic = oq->oq_call;

	oq->oq_call = NULL;
	oq->oq_isbusy = 0;
	op_queue_next(oq);
	ioctl_done(ic, error);
}

int
op_queue_hold(struct op_queue *oq, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *ic)
{
	if (!oq->oq_injob)
		return 0;
	oq->oq_heldfn = fn;
	oq->oq_held = ic;
	return 1;
}

void
op_queue_ask(struct op_queue *oq, void (*job)(void *))
{
	int i;

	if (oq->oq_close != NULL)
		return;
	for (i = 0; i < OP_QUEUE_NJOBS; i++)
		if (oq->oq_jobs[i] == NULL || oq->oq_jobs[i] == job)
			break;
	assert(i < OP_QUEUE_NJOBS);
	oq->oq_jobs[i] = job;
	op_queue_next(oq);
}

void
op_queue_job(struct op_queue *oq, void (*run)(void *), void (*done)(void *),
    int islong)
{
	oq->oq_injob = 1;
	op_queue_start(oq, run, done, islong);
}

void
op_queue_job_done(struct op_queue *oq)
{
	struct ioctl_call *ic = oq->oq_held;
	int error = IOCTL_LATER;

	oq->oq_isbusy = 0;
	oq->oq_injob = 0;
	oq->oq_held = NULL;
	if (oq->oq_close != NULL) {
		op_queue_start(oq, oq->oq_close, oq->oq_closed, 0);
		return;
	}
	if (ic != NULL)
		error = oq->oq_heldfn(oq->oq_sc, ic);
	op_queue_next(oq);
	if (error != IOCTL_LATER)
		ioctl_done(ic, error);
}

void
op_queue_close(struct op_queue *oq, void (*run)(void *), void (*done)(void *))
{
	oq->oq_close = run;
	oq->oq_closed = done;
	if (!oq->oq_isbusy)
		op_queue_start(oq, run, done, 0);
}
