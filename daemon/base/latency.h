/* SPDX-License-Identifier: ISC */
/*
 * Measures the longest passes of the threads that must not block: the time from
 * when work arrived until the thread polls again.  Work that arrives meanwhile
 * waits that long.  Both the clock, which includes preemption, and the thread's
 * own CPU time are measured.
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

/*
 * Begin and end a pass of the calling thread; due: the next pass begins without
 * another event.
 */
void latency_begin(enum latency_thread);
void latency_end(enum latency_thread, int due);
/* Returns the maxima since the daemon started.  Any thread. */
void latency_get(enum latency_thread, struct latency_max *);

#endif /* DAEMON_BASE_LATENCY_H */
