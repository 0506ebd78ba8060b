/* SPDX-License-Identifier: ISC */
/*
 * Timers of the event loop (event_loop.h).  A struct timer is embedded in its
 * object and is never freed.  Timers are created, and expire, on the control
 * thread.
 */
#ifndef DAEMON_BASE_TIMER_H
#define DAEMON_BASE_TIMER_H

#include <stdint.h>

#include "daemon/base/event_loop.h"

#define TIMER_MSEC INT64_C(1000000) /* ns */
#define TIMER_SEC  INT64_C(1000000000)

struct timer {
	struct event_source tm_ev; /* first: cast from ev */
	void (*tm_fn)(void);
};

/* Initializes a timer that calls fn when it expires.  Returns errno. */
int timer_init(struct timer *, void (*fn)(void));
/*
 * Lets the timer expire once, after nsecs (immediately if <= 0), replacing its
 * previous time.  Any thread, as for the functions below.
 */
void timer_start(struct timer *, int64_t nsecs);
/* Lets the timer expire every nsecs, which must be positive. */
void timer_repeat(struct timer *, int64_t nsecs);
void timer_stop(struct timer *);

#endif /* DAEMON_BASE_TIMER_H */
