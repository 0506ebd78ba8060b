/* SPDX-License-Identifier: ISC */
/*
 * The clocks of the interval provider.  One thread, at ordinary priority, ticks
 * for all sessions; a second one, at real-time priority, ticks for clients
 * with ADMIN and for others as long as the sum of their rates is small.
 */
#ifndef DAEMON_DT_DT_INTERVAL_TIMER_H
#define DAEMON_DT_DT_INTERVAL_TIMER_H

#include <stdint.h>
#include <sys/queue.h>

struct dt_count;
struct interval_timer;

/*
 * The clock of one session.  I: constant after its start; t: under the lock of
 * its timer.
 */
struct interval_clock {
	TAILQ_ENTRY(interval_clock) ick_next; /* [t] clocks of the timer */
	struct interval_timer *ick_timer;     /* [I] */
	uint64_t ick_cookie;		      /* [I] argument of the program */
	struct dt_count *ick_counts;	      /* [I] of the session, by CPU */
	uint64_t ick_period;		      /* [I] ns */
	uint64_t ick_due;		      /* [t] CLOCK_MONOTONIC, ns */
	int ick_isadmin;		      /* [I] the client has ADMIN */
	int ick_isending; /* [t] one last tick if it is due */
};

/*
 * Starts a copy of the clock, whose first tick is due after a period; progfd is
 * the program that a tick runs.  Returns an errno, or 0 with the copy in *icp.
 */
int interval_start(const struct interval_clock *, int progfd,
    struct interval_clock **icp);
/* Gives the tick that is due, if one is, then stops and frees the clock. */
void interval_stop(struct interval_clock *);
/* CPU time that the threads have used, in ns; they start and end with the
 * clocks, so it may fall. */
uint64_t interval_nsecs(void);

#endif /* DAEMON_DT_DT_INTERVAL_TIMER_H */
