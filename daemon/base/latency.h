/* SPDX-License-Identifier: ISC */
/*
 * How long the threads that must not wait were away: the longest pass, from
 * when something had come until it looks again.  What comes meanwhile waits so
 * long.  By the clock, which counts what others take of the CPU, and by the
 * thread's own time on a CPU: only the latter is what it did.
 */
#ifndef DAEMON_BASE_LATENCY_H
#define DAEMON_BASE_LATENCY_H

#include <stdint.h>

enum stall_thread {
	STALL_CONTROL,
	STALL_DATA,
	STALL_N
};

struct stall_max {
	uint64_t sm_nsecs;    /* longest pass, by the clock */
	uint64_t sm_cpunsecs; /* by the thread's own time */
	uint64_t sm_gap; /* between two passes that were due, by the clock */
};

/* By the thread itself: something has come, and all of it is done; due says
 * that the next pass begins without something that comes. */
void stall_begin(enum stall_thread);
void stall_end(enum stall_thread, int due);
/* Since the daemon started; any thread. */
void stall_get(enum stall_thread, struct stall_max *);

#endif /* DAEMON_BASE_LATENCY_H */
