/* SPDX-License-Identifier: ISC */
/* Waits for a descriptor with a time limit that spans several waits. */
#ifndef LIB_TIMEOUT_H
#define LIB_TIMEOUT_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct dt_timeout {
	int to_msecs;	 /* ms, -1: no limit */
	bool to_started; /* to_end was set by the first wait */
	int64_t to_end;	 /* CLOCK_MONOTONIC, ms */
};

/* Returns the ms left, -1: no limit. */
int dt_timeout_left(struct dt_timeout *);

/*
 * poll(2) of one descriptor.  Returns 1 if ready, 0 on timeout, -1 with errno.
 */
int dt_timeout_poll(struct dt_timeout *, struct pollfd *);

#endif /* LIB_TIMEOUT_H */
