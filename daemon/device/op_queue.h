/* SPDX-License-Identifier: ISC */
/*
 * Serializes the operations of a session: its client's ioctls that run on a
 * worker, the daemon's own jobs, and its close.  An ioctl that arrives during a
 * job is held until the job has ended, and so is the close; a job that becomes
 * due during an ioctl follows it.
 *
 * All functions are called on the control thread.  Each operation's run() is
 * called on a worker, or on a separate thread if it may take long, then done()
 * on the control thread; both receive the session.  A done() that would only
 * call op_queue_done(oq, oq->oq_error), or op_queue_job_done(oq), may be NULL.
 */
#ifndef DAEMON_DEVICE_OP_QUEUE_H
#define DAEMON_DEVICE_OP_QUEUE_H

#include "daemon/base/workers.h"
#include "daemon/device/cdevsw.h"

#define OP_QUEUE_NJOBS 4 /* maximum number of different due jobs */

/*
 * Embedded in a device's session.  Letters: I constant after open; c control
 * thread; w also run() of the current operation.
 */
struct op_queue {
	struct work oq_work; /* [c] work of the current operation; first */
	void *oq_sc;	     /* [I] the session */
	uid_t oq_person;     /* [I] charged for the CPU time of run() */
	void (*oq_run)(void *);
	void (*oq_done)(void *);
	struct ioctl_call *oq_call; /* [cw] current ioctl, or NULL */
	int oq_error;		    /* [cw] its result, 0 unless run() sets
				     * it */
	int oq_isbusy;		    /* [c] an operation is in progress */
	int oq_injob;		    /* [c] the operation is a job */
	/* [c] jobs due after the current operation */
	void (*oq_jobs[OP_QUEUE_NJOBS])(void *);
	struct ioctl_call *oq_held;		       /* [c] ioctl held until
						        * the job ends */
	int (*oq_heldfn)(void *, struct ioctl_call *); /* [c] */
	void (*oq_close)(void *); /* [c] NULL: the client is connected */
	void (*oq_closed)(void *);
};

/* Initializes a queue that is all zero otherwise. */
void op_queue_init(struct op_queue *, void *sc, uid_t person);

/* Starts an ioctl, whose done() calls op_queue_done().  Returns IOCTL_LATER. */
int op_queue_call(struct op_queue *, struct ioctl_call *, void (*run)(void *),
    void (*done)(void *), int islong);
/*
 * Ends the ioctl with this error.  Due jobs run before the reply, since the
 * client may close after it.
 */
void op_queue_done(struct op_queue *, int error);
/* Implements d_hold of struct cdevsw. */
int op_queue_hold(struct op_queue *, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *);

/*
 * op_queue_ask() requests a job: job() is called when no operation is in
 * progress, if the client is still connected.  It may call op_queue_job(),
 * whose done() calls op_queue_job_done().
 */
void op_queue_ask(struct op_queue *, void (*job)(void *));
void op_queue_job(struct op_queue *, void (*run)(void *), void (*done)(void *),
    int islong);
void op_queue_job_done(struct op_queue *);

/*
 * Closes a session whose client has disconnected, with no ioctl in progress.
 * done() may free the session.
 */
void
op_queue_close(struct op_queue *, void (*run)(void *), void (*done)(void *));

#endif /* DAEMON_DEVICE_OP_QUEUE_H */
