/* SPDX-License-Identifier: ISC */
/*
 * Hands symbolizer processes to threads, in turn by person.
 *
 * A person is a user as limits count them.  Each person has at most
 * SYMPOOL_PERSON processes at work; a second one only while that leaves one
 * for a person who has none, and if the person's requests did not take much CPU
 * time recently.  One process is kept for root.  Threads that wait are served
 * in turn by person: first who has the fewest processes at work, then who used
 * the least CPU time recently.  An idle process serves the same person again,
 * or is replaced: one that a file has taken over sees no other person's files.
 *
 * Nothing waits for a process to exit: a process that was killed may hang in
 * the kernel while it closes a file.  It is counted until it can be reaped.
 */
#ifndef DAEMON_SYM_SYMBOLIZER_POOL_H
#define DAEMON_SYM_SYMBOLIZER_POOL_H

#include <stdint.h>
#include <sys/types.h>

#include "wire/symbolizer.h"

#define SYMPOOL_MAX	   5  /* processes */
#define SYMPOOL_ROOT	   1  /* processes kept for root */
#define SYMPOOL_PERSON	   2  /* at work for one person */
#define SYMPOOL_GONE	   16 /* killed, not reaped: no process is started */
#define SYMPOOL_PERSONGONE 4  /* the same for one person, except root */
#define SYMPOOL_OWNERGONE  2  /* the same over files of one user, except root */

/*
 * A symbolizer process, or none yet.  p: pool lock; o: owner, the thread that
 * has taken it, which alone changes it; changes of op hold the lock.
 */
struct symworker {
	pid_t wk_pid;	    /* [op] 0: none runs */
	int wk_fd;	    /* [op] requests and replies */
	int wk_channel;	    /* [op] files */
	uint64_t wk_serial; /* [o] of the file that was sent last */
	int wk_isbusy;	    /* [p] taken by a thread */
	uid_t wk_person;    /* [p] for whom it works, or did last */
	uid_t wk_owner;	    /* [p] and whose file it reads; -1: unknown */
	int64_t wk_used;    /* [p] when it was taken or given back last, ms */
	_Alignas(8) char wk_buf[SYMREQ_MAXMSG]; /* [o] message received */
};

/*
 * Waits for the person's turn, until the deadline (CLOCK_MONOTONIC in ms; 0:
 * none), and takes a process that runs, for a file of this owner ((uid_t)-1:
 * unknown).  ETIMEDOUT; ECHILD: it could not be started, too many hang, or dtd
 * ends; ENOMEM.
 */
int
sympool_take(uid_t person, uid_t owner, int64_t deadline, struct symworker **);
void sympool_give(struct symworker *);
/* Ends the process of a worker that this thread has taken. */
void sympool_kill(struct symworker *);
/* CPU time that a person's request took, in ns. */
void sympool_spent(uid_t person, uint64_t nsecs);
/* Ends processes that have been idle for this long. */
void sympool_trim(int seconds);
/* dtd ends: kills all processes, and from now on nothing waits. */
void sympool_end(void);

struct sympool_stat {
	uint64_t po_starts; /* so far */
	uint64_t po_hung;   /* killed at least SYMPOOL_HUNGMSECS ago, and there
			       still */
	unsigned int po_nbusy; /* taken by threads */
	unsigned int po_npids;
	pid_t po_pids[SYMPOOL_MAX]; /* the one that was used last first */
};
#define SYMPOOL_HUNGMSECS 1000
void sympool_stat(struct sympool_stat *);

int64_t sympool_now(void); /* CLOCK_MONOTONIC, ms */

#endif /* DAEMON_SYM_SYMBOLIZER_POOL_H */
