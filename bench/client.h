/* SPDX-License-Identifier: ISC */
/*
 * Runs dt(1) with a private dtd, as a user does, for rows about the whole
 * program and not only the library.
 */
#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H

#include <stdint.h>
#include <sys/types.h>

struct client {
	pid_t cl_pids[2]; /* dt and its dtd */
	int cl_err;	  /* file with its stderr */
	int64_t cl_cputime;
};

/* Ledger that dt printed. */
struct client_ledger {
	uint64_t cl_read, cl_lost;
};

/* Starts dt, sets argv[0], and returns when it records. */
void client_start(struct client *, char **argv);
/*
 * Waits until all events are processed.  Returns the CPU time of both
 * processes since the start, ns.
 */
int64_t client_settle(struct client *);
/* Sends SIGINT and reads the ledger. */
void client_stop(struct client *, struct client_ledger *);

/*
 * Waits until a tracer, or its only child, has attached, and both use almost no
 * CPU time.
 */
void client_ready(pid_t pid);
/* Waits until processes use almost no CPU time, up to a limit. */
void client_idle(const pid_t *pids, int n);

#endif /* BENCH_CLIENT_H */
