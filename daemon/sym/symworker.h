/* SPDX-License-Identifier: ISC */
/* The worker process: started when it is needed, ended when it hangs. */
#ifndef DAEMON_SYM_SYMWORKER_H
#define DAEMON_SYM_SYMWORKER_H

#include <sys/types.h>

#include "sym/symbook.h"

struct symfile;

#define SYMWORKER_MSECS 10000 /* for a request, before it is ended */

/* Another time for a request, for tests. */
extern int symworker_msecs;

struct symworker_stat {
	uint64_t sw_starts;
	uint64_t sw_deaths;
	uint64_t sw_timeouts;
	uint64_t sw_debugfiles;
	pid_t sw_pid; /* 0: none */
};

/*
 * Sends a request (of at most SYMREQ_MAXPCS) with the descriptor, and adds
 * the frames of the answer to the book, whose sp_pc count from base.  What the
 * worker asks for is looked for where the file (may be NULL) is from.  errno:
 * what the worker says; EIO when it died or took too long; which is no fault of
 * the file: ECHILD when it could not be started, ETIMEDOUT at the limit.
 */
int symworker_ask(const struct symreq *, const uint64_t *pcs, int fd,
    const struct symfile *, uint32_t base, struct symbook *);
/* All that this thread asks from now on has so long together. */
void symworker_limit(int msecs);
/*
 * The service: the worker is to be the user SYMWORKER_USER, which has no other
 * process.  Otherwise, and where that user does not exist, it is user 65534, whose
 * other processes may send it signals.  Before the first request.
 */
#define SYMWORKER_USER "dt-symbolizer"
void symworker_find_user(void);
/* The name of its program. */
void symworker_program(char *, size_t);
/* Ends it for good, also one that hangs; who waits for it is told at once. */
void symworker_end(void);
/* Ends it if nobody has asked for so many seconds. */
void symworker_trim(int seconds);
void symworker_stat(struct symworker_stat *);

#endif /* DAEMON_SYM_SYMWORKER_H */
