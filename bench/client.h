/* SPDX-License-Identifier: ISC */
/*
 * dt(1) with a private dtd, as a user runs it: for rows about all of it, not
 * about the library alone.
 */
#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H

#include <stdint.h>
#include <sys/types.h>

struct client {
	pid_t cl_pids[2]; /* dt, and its dtd */
	int cl_err;	  /* what it says goes into this file */
	int64_t cl_cputime;
};

/* What its ledger said at the end. */
struct client_ledger {
	uint64_t cl_read, cl_lost;
};

/* Starts it (argv[0] is ours to set) and returns when it records. */
void client_start(struct client *, char **argv);
/* When all that came is done with: ns of CPU time, of both, since start. */
int64_t client_settle(struct client *);
/* Ctrl-C. */
void client_stop(struct client *, struct client_ledger *);

/* Waits, at most so long, until processes use hardly any CPU time. */
void client_idle(const pid_t *pids, int n);

#endif /* BENCH_CLIENT_H */
