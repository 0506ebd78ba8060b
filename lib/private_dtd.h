/* SPDX-License-Identifier: ISC */
/* The private dtd: a child process that serves one handle. */
#ifndef LIB_PRIVATE_DTD_H
#define LIB_PRIVATE_DTD_H

#include <stdbool.h>
#include <sys/types.h>

struct dt;

struct dt_private {
	pid_t ch_pid; /* 0: none */
	int ch_pidfd; /* -1: none */
};

/* Starts dtd.  Returns its control socket, or -1. */
int dt_private_start(struct dt *, bool verbose);

/* Reports how dtd ended, after a handshake failed with EPIPE.  Returns -1. */
int dt_private_ended(struct dt *);

/* Waits for the exit of dtd, with a time limit.  Its sockets must be closed. */
void dt_private_wait(struct dt_private *);

#endif /* LIB_PRIVATE_DTD_H */
