/* SPDX-License-Identifier: ISC */
/* Runs the operations of a session in order. */
#include <assert.h>
#include <stdlib.h>

#include "daemon/access/charge.h"
#include "daemon/base/workers.h"
#include "daemon/device/cdevsw.h"
#include "daemon/server/op_queue.h"

/* Letters: I constant after open; c control thread; w also the worker. */
struct op_queue {
	struct work oq_work;	     /* [c] of the current operation; first */
	const struct cdevsw *oq_dev; /* [I] */
	void *oq_sc;		     /* [I] the session */
	uid_t oq_person;	     /* [I] charged for run() */
	void (*oq_reply)(struct op *, int); /* [I] */
	struct op *oq_op;		    /* [c] current, or NULL */
	int (*oq_run)(struct op *);	    /* [c] of its op_later() */
	int (*oq_done)(struct op *, int);
	int oq_error;			       /* [cw] result of oq_run() */
	struct op oq_own;		       /* [c] a job, or the close */
	const struct ioctl_desc *oq_id;	       /* [c] row of the request */
	struct op *oq_held;		       /* [c] request after a job */
	int (*oq_jobs[OP_NJOBS])(struct op *); /* [c] that are due */
	int oq_ishungup;		       /* [c] no client any more */
	int oq_isclosing;		       /* [c] the close is due */
	int oq_islast;			       /* [c] it is in progress */
};

static void op_queue_next(struct op_queue *);

struct op_queue *
op_queue_alloc(const struct cdevsw *dev, uid_t person,
    void (*reply)(struct op *, int error))
{
	struct op_queue *oq = calloc(1, sizeof(*oq));

	if (oq == NULL)
		return NULL;
	oq->oq_dev = dev;
	oq->oq_person = person;
	oq->oq_reply = reply;
	return oq;
}

void
op_queue_free(struct op_queue *oq)
{
	free(oq);
}

void
op_queue_open(struct op_queue *oq, void *sc)
{
	oq->oq_sc = sc;
}

void *
op_queue_session(const struct op_queue *oq)
{
	return oq->oq_sc;
}

/* Due jobs begin before the reply, since the client may close after it. */
static void
op_queue_end(struct op_queue *oq, int error)
{
	struct op *op = oq->oq_op;

	oq->oq_op = NULL;
	if (oq->oq_islast) {
		free(oq);
		dev_closed();
		return;
	}
	op_queue_next(oq);
	if (op != &oq->oq_own)
		oq->oq_reply(op, error);
}

static void
op_queue_begin(struct op_queue *oq, struct op *op, int (*fn)(struct op *))
{
	int error;

	op->op_queue = oq;
	op->op_sc = oq->oq_sc;
	oq->oq_op = op;
	if ((error = fn(op)) != OP_LATER)
		op_queue_end(oq, error);
}

static int
op_queue_request(struct op *op)
{
	const struct ioctl_desc *id = op->op_queue->oq_id;

	if (id->id_fn != NULL)
		return id->id_fn(op);
	return op_later(op, id->id_run, NULL, 0);
}

/* Begins what is due: the close, a held request, or a job. */
static void
op_queue_next(struct op_queue *oq)
{
	struct op *held = oq->oq_held;
	int (*job)(struct op *);
	int i;

	if (oq->oq_isclosing) {
		oq->oq_islast = 1;
		op_queue_begin(oq, &oq->oq_own, oq->oq_dev->d_close);
		return;
	}
	if (held != NULL) {
		oq->oq_held = NULL;
		op_queue_begin(oq, held, op_queue_request);
		return;
	}
	for (i = 0; i < OP_NJOBS && !oq->oq_ishungup; i++)
		if ((job = oq->oq_jobs[i]) != NULL) {
			oq->oq_jobs[i] = NULL;
			op_queue_begin(oq, &oq->oq_own, job);
			return;
		}
}

void
op_queue_run(struct op_queue *oq, struct op *op, const struct ioctl_desc *id)
{
	oq->oq_id = id;
	if (oq->oq_op == NULL)
		op_queue_begin(oq, op, op_queue_request);
	else
		oq->oq_held = op;
}

void
op_queue_hangup(struct op_queue *oq)
{
	oq->oq_ishungup = 1;
	if (oq->oq_dev->d_hangup != NULL)
		oq->oq_dev->d_hangup(oq->oq_sc);
}

void
op_queue_close(struct op_queue *oq)
{
	oq->oq_isclosing = 1;
	if (oq->oq_op == NULL)
		op_queue_next(oq);
}

/*
 * Called by devices
 */

static void
op_work_run(struct work *w)
{
	struct op_queue *oq = (struct op_queue *)w;
	uint64_t from = charge_now();

	oq->oq_error = oq->oq_run(oq->oq_op);
	charge_cpu(oq->oq_person, charge_now() - from);
}

static void
op_work_done(struct work *w)
{
	struct op_queue *oq = (struct op_queue *)w;
	int error = oq->oq_error;

	if (oq->oq_done != NULL)
		error = oq->oq_done(oq->oq_op, error);
	if (error != OP_LATER)
		op_queue_end(oq, error);
}

int
op_later(struct op *op, int (*run)(struct op *),
    int (*done)(struct op *, int error), int islong)
{
	struct op_queue *oq = op->op_queue;

	oq->oq_run = run;
	oq->oq_done = done;
	oq->oq_work.w_run = op_work_run;
	oq->oq_work.w_done = op_work_done;
	oq->oq_work.w_person = oq->oq_person;
	if (islong)
		workers_alone(&oq->oq_work);
	else
		workers_submit(&oq->oq_work);
	return OP_LATER;
}

void
op_request(struct op_queue *oq, int (*job)(struct op *))
{
	int i;

	if (oq->oq_ishungup)
		return;
	for (i = 0; i < OP_NJOBS; i++)
		if (oq->oq_jobs[i] == NULL || oq->oq_jobs[i] == job)
			break;
	assert(i < OP_NJOBS);
	oq->oq_jobs[i] = job;
	if (oq->oq_op == NULL)
		op_queue_next(oq);
}

int
op_isbusy(const struct op_queue *oq)
{
	return oq->oq_op != NULL;
}
