/* SPDX-License-Identifier: ISC */
/*
 * Waiting for a descriptor with a time limit that holds over several waits.
 */
#ifndef LIB_TIMEOUT_H
#define LIB_TIMEOUT_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct dt_timeout {
	int to_msecs;	 /* milliseconds, -1: without end */
	bool to_started; /* to_end is set, by the first wait */
	int64_t to_end;	 /* CLOCK_MONOTONIC, ms */
};

/* Milliseconds that are left, -1: without end. */
int dt_timeout_left(struct dt_timeout *);

/* poll(2) of one descriptor: 1 ready, 0 the time is over, -1 errno. */
int dt_timeout_poll(struct dt_timeout *, struct pollfd *);

#endif /* LIB_TIMEOUT_H */
