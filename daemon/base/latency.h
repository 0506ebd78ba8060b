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

enum latency_thread {
	LATENCY_CONTROL,
	LATENCY_DATA,
	LATENCY_N
};

struct latency_max {
	uint64_t lx_nsecs;    /* longest pass, by the clock */
	uint64_t lx_cpunsecs; /* by the thread's own time */
	uint64_t lx_gap; /* between two passes that were due, by the clock */
};

/* By the thread itself: something has come, and all of it is done; due says
 * that the next pass begins without something that comes. */
void latency_begin(enum latency_thread);
void latency_end(enum latency_thread, int due);
/* Since the daemon started; any thread. */
void latency_get(enum latency_thread, struct latency_max *);

#endif /* DAEMON_BASE_LATENCY_H */
