/* SPDX-License-Identifier: ISC */
/*
 * The clocks of the interval provider. One thread at normal priority ticks for
 * all sessions. A second thread at real-time priority ticks for clients with
 * ADMIN, and for others while the sum of their rates is small.
 */
#ifndef DAEMON_DT_DT_INTERVAL_TIMER_H
#define DAEMON_DT_DT_INTERVAL_TIMER_H

#include <stdint.h>
#include <sys/queue.h>

struct dt_count;
struct interval_timer;

/*
 * The clock of one session. I: constant after its start; t: protected by the
 * lock of its timer.
 */
struct interval_clock {
	TAILQ_ENTRY(interval_clock) ick_next; /* [t] clocks of one timer */
	struct interval_timer *ick_timer;     /* [I] */
	uint64_t ick_args[2];		      /* [I] of the program */
	struct dt_count *ick_counts;	      /* [I] the session's counters,
					       * by CPU */
	uint64_t ick_period;		      /* [I] ns */
	uint64_t ick_due;		      /* [t] CLOCK_MONOTONIC, ns */
	int ick_isadmin;		      /* [I] the client has ADMIN */
	int ick_isending; /* [t] stopping; gives one last tick if due */
};

/*
 * Starts a copy of the clock; its first tick is due after one period. Each tick
 * runs the program progfd. Returns an errno, or 0 with the copy in *icp.
 */
int interval_start(const struct interval_clock *, int progfd,
    struct interval_clock **icp);
/* Gives the tick that is due, if any, then stops and frees the clock. */
void interval_stop(struct interval_clock *);
/*
 * Returns the CPU time of the threads in ns. May decrease: the threads exit
 * with the last clock.
 */
uint64_t interval_nsecs(void);

#endif /* DAEMON_DT_DT_INTERVAL_TIMER_H */
