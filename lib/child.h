/* SPDX-License-Identifier: ISC */
/*
 * The private dtd: a child process that serves one handle.
 */
#ifndef LIB_CHILD_H
#define LIB_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct dt;

struct dt_child {
	pid_t ch_pid; /* 0: none */
	int ch_pidfd; /* -1: none */
};

/* Starts dtd.  Returns the control socket to it, or -1. */
int dt_child_start(struct dt *, bool verbose);

/* The handshake failed with EPIPE: if dtd has ended, says how.  -1. */
int dt_child_ended(struct dt *);

/* Waits until it has ended, with a bound; its sockets are closed by now. */
void dt_child_wait(struct dt_child *);

#endif /* LIB_CHILD_H */
