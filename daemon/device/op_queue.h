/* SPDX-License-Identifier: ISC */
/*
 * What is done to an open, one thing after another: commands of its client that
 * go to a worker, jobs of the daemon's own, and its close.  A command that comes
 * while a job is under way is held until that has ended, and so is the close; a
 * job that is due while a command is under way comes behind it.
 *
 * All functions are the control thread's.  Of each thing run() is called on a
 * worker, or on a thread of its own if it may take long, then done() on the
 * control thread; both get the open.  A done() that would say no more than
 * turn_done(tu, tu->tu_error), or turn_job_done(tu), may be NULL.
 */
#ifndef DAEMON_DEVICE_OP_QUEUE_H
#define DAEMON_DEVICE_OP_QUEUE_H

#include "daemon/base/workers.h"
#include "daemon/device/cdevsw.h"

#define TURN_NJOBS 4 /* different jobs that may be due at once */

/* Part of an open, which is the device's.  Letters: I constant after open; c
 * control thread; w and run() of what is under way. */
struct turn {
	struct work tu_work; /* [c] of what is under way; first */
	void *tu_sc;	     /* [I] the open */
	uid_t tu_person;     /* [I] is charged for the CPU time of run() */
	void (*tu_run)(void *);
	void (*tu_done)(void *);
	struct ioctl_call *tu_call; /* [cw] the command under way, or NULL */
	int tu_error;		    /* [cw] its result, 0 unless run() says */
	int tu_isbusy;		    /* [c] something is under way */
	int tu_injob;		    /* [c] and it is a job */
	/* [c] due behind what is under way */
	void (*tu_jobs[TURN_NJOBS])(void *);
	struct ioctl_call *tu_held;		       /* [c] behind the job */
	int (*tu_heldfn)(void *, struct ioctl_call *); /* [c] */
	void (*tu_close)(void *); /* [c] NULL: the client is there */
	void (*tu_closed)(void *);
};

/* All else is zero. */
void turn_init(struct turn *, void *sc, uid_t person);

/* A command; its done() calls turn_done().  Returns IOCTL_LATER. */
int turn_call(struct turn *, struct ioctl_call *, void (*run)(void *),
    void (*done)(void *), int islong);
/* The command has come to this error; a job that is due goes first, as with the
 * answer the client may be gone. */
void turn_done(struct turn *, int error);
/* For d_hold of struct cdevsw. */
int turn_hold(struct turn *, int (*fn)(void *, struct ioctl_call *),
    struct ioctl_call *);

/* The daemon has something to do: job() is called when nothing is under way, if
 * the client is still there.  It may call turn_job(), whose done() calls
 * turn_job_done(). */
void turn_ask(struct turn *, void (*job)(void *));
void
turn_job(struct turn *, void (*run)(void *), void (*done)(void *), int islong);
void turn_job_done(struct turn *);

/* The client has gone, no command is under way.  done() may free the open. */
void turn_close(struct turn *, void (*run)(void *), void (*done)(void *));

#endif /* DAEMON_DEVICE_OP_QUEUE_H */
