/* SPDX-License-Identifier: ISC */
/*
 * Timers of the event loop (event_loop.h).  A struct timer is part of what it
 * stands for and stays; it is made, and rings, on the control thread.
 */
#ifndef DAEMON_BASE_TIMER_H
#define DAEMON_BASE_TIMER_H

#include <stdint.h>

#include "daemon/base/event_loop.h"

#define TIMER_MSEC INT64_C(1000000) /* ns */
#define TIMER_SEC  INT64_C(1000000000)

struct timer {
	struct event_source tm_ev; /* first: ev is timer */
	void (*tm_fn)(void);
};

/* One that calls fn when it is started and due.  An errno. */
int timer_init(struct timer *, void (*fn)(void));
/* Due once, in so many ns (at once, if they are not positive), instead of what
 * it was due for.  Any thread, as below. */
void timer_start(struct timer *, int64_t nsecs);
/* Due each nsecs, which are positive. */
void timer_repeat(struct timer *, int64_t nsecs);
void timer_stop(struct timer *);

#endif /* DAEMON_BASE_TIMER_H */
