/* SPDX-License-Identifier: ISC */
/*
 * What is done to an open, one thing after another: commands of its client that
 * go to a worker, jobs of the daemon's own, and its close.  A command that
 * comes while a job is under way is held until that has ended, and so is the
 * close; a job that is due while a command is under way comes behind it.
 *
 * All functions are the control thread's.  Of each thing run() is called on a
 * worker, or on a thread of its own if it may take long, then done() on the
 * control thread; both get the open.  A done() that would say no more than
 * op_queue_done(oq, oq->oq_error), or op_queue_job_done(oq), may be NULL.
 */
#ifndef DAEMON_DEVICE_OP_QUEUE_H
#define DAEMON_DEVICE_OP_QUEUE_H

#include "daemon/base/workers.h"
#include "daemon/device/cdevsw.h"

#define OP_QUEUE_NJOBS 4 /* different jobs that may be due at once */

/* Part of an open, which is the device's.  Letters: I constant after open; c
 * control thread; w and run() of what is under way. */
struct op_queue {
	struct work oq_work; /* [c] of what is under way; first */
	void *oq_sc;	     /* [I] the open */
	uid_t oq_person;     /* [I] is charged for the CPU time of run() */
	void (*oq_run)(void *);
	void (*oq_done)(void *);
	struct ioctl_call *oq_call; /* [cw] the command under way, or NULL */
	int oq_error;		    /* [cw] its result, 0 unless run() says */
	int oq_isbusy;		    /* [c] something is under way */
	int oq_injob;		    /* [c] and it is a job */
	/* [c] due behind what is under way */
	void (*oq_jobs[OP_QUEUE_NJOBS])(void *);
	struct ioctl_call *oq_held;		       /* [c] behind the job */
	int (*oq_heldfn)(void *, struct ioctl_call *); /* [c] */
	void (*oq_close)(void *); /* [c] NULL: the client is there */
	void (*oq_closed)(void *);
};

/* All else is zero. */
void op_queue_init(struct op_queue *, void *sc, uid_t person);

/* A command; its done() calls op_queue_done().  Returns IOCTL_LATER. */
int op_queue_call(struct op_queue *, struct ioctl_call *, void (*run)(void *),
    void (*done)(void *), int islong);
/* The command has come to this error; a job that is due goes first, as with the
 * answer the client may be gone. */
void op_queue_done(struct op_queue *, int error);
/* For d_hold of struct cdevsw. */
int op_queue_hold(struct op_queue *, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *);

/* The daemon has something to do: job() is called when nothing is under way, if
 * the client is still there.  It may call op_queue_job(), whose done() calls
 * op_queue_job_done(). */
void op_queue_ask(struct op_queue *, void (*job)(void *));
void op_queue_job(struct op_queue *, void (*run)(void *), void (*done)(void *),
    int islong);
void op_queue_job_done(struct op_queue *);

/* The client has gone, no command is under way.  done() may free the open. */
void
op_queue_close(struct op_queue *, void (*run)(void *), void (*done)(void *));

#endif /* DAEMON_DEVICE_OP_QUEUE_H */
