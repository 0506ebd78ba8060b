/* SPDX-License-Identifier: ISC */
/*
 * Hands symbolizer processes to threads, in turn by person.
 *
 * A person is a user as limits count them.  Each person has at most
 * SYMBOLIZER_POOL_PERSON processes at work; a second one only while that leaves
 * one for a person who has none, and if the person's requests did not take much
 * CPU time recently.  One process is kept for root.  Threads that wait are
 * served in turn by person: first who has the fewest processes at work, then
 * who used the least CPU time recently.  An idle process serves the same person
 * again, or is replaced, so a process that a file has taken over cannot read
 * another person's files.
 *
 * Nothing waits for a process to exit: a process that was killed may hang in
 * the kernel while it closes a file.  It is counted until it can be reaped.
 */
#ifndef DAEMON_SYM_SYMBOLIZER_POOL_H
#define DAEMON_SYM_SYMBOLIZER_POOL_H

#include <stdint.h>
#include <sys/types.h>

#include "wire/symbolizer.h"

#define SYMBOLIZER_POOL_MAX	   5  /* processes */
#define SYMBOLIZER_POOL_ROOT	   1  /* processes kept for root */
#define SYMBOLIZER_POOL_PERSON	   2  /* at work for one person */
#define SYMBOLIZER_POOL_ABANDONED  16 /* killed, not reaped: none is started */
#define SYMBOLIZER_POOL_PERSONGONE 4  /* the same for one person, except root */
#define SYMBOLIZER_POOL_OWNERGONE  2  /* the same over one user's files */

/*
 * A symbolizer process, or none yet.  p: pool lock; o: owner, the thread that
 * has taken it, which alone changes it; changes of op hold the lock.
 */
struct symbolizer_process {
	pid_t sp_pid;	    /* [op] 0: none runs */
	int sp_fd;	    /* [op] requests and replies */
	int sp_channel;	    /* [op] files */
	int sp_stat;	    /* [op] /proc/PID/schedstat; -1: none */
	uint64_t sp_serial; /* [o] of the file that was sent last */
	int sp_isbusy;	    /* [p] taken by a thread */
	uid_t sp_person;    /* [p] current or last person */
	uid_t sp_owner;	    /* [p] owner of its file; -1: unknown */
	int64_t sp_used;    /* [p] when it was taken or given back last, ms */
	_Alignas(8) char sp_buf[SYMREQ_MAXMSG]; /* [o] message received */
};

/*
 * Waits for the person's turn, until the deadline (CLOCK_MONOTONIC in ms; 0:
 * none), and takes a process that runs, for a file of this owner ((uid_t)-1:
 * unknown).  ETIMEDOUT; ECHILD: it could not be started, too many hang, or dtd
 * ends; ENOMEM.
 */
int symbolizer_pool_take(uid_t person, uid_t owner, int64_t deadline,
    struct symbolizer_process **);
void symbolizer_pool_give(struct symbolizer_process *);
/* Ends the process of a worker that this thread has taken. */
void symbolizer_pool_kill(struct symbolizer_process *);
/* CPU time that a person's request took, in ns. */
void symbolizer_pool_spent(uid_t person, uint64_t nsecs);
/* Ends the processes that have been idle for this many seconds. */
void symbolizer_pool_trim(int seconds);
/*
 * dtd exits: kills all processes.  Threads that wait for a process get an error
 * at once, even if it cannot be killed.
 */
void symbolizer_pool_end(void);

struct symbolizer_pool_stat {
	uint64_t po_starts; /* so far */
	uint64_t
	    po_hung; /* killed at least SYMBOLIZER_POOL_HUNGMSECS ago, and there
			       still */
	unsigned int po_nbusy; /* taken by threads */
	unsigned int po_npids;
	pid_t po_pids[SYMBOLIZER_POOL_MAX]; /* the most recently used first */
};
#define SYMBOLIZER_POOL_HUNGMSECS 1000
void symbolizer_pool_stat(struct symbolizer_pool_stat *);

#endif /* DAEMON_SYM_SYMBOLIZER_POOL_H */
