/* SPDX-License-Identifier: ISC */
/* Implements timer.h with timerfd_create(2). */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/timer.h"

static void
timer_event(struct event_source *ev, uint32_t events __attribute__((unused)))
{
	const struct timer *tm = (const struct timer *)ev;
	uint64_t n;

	if (read(ev->es_fd, &n, sizeof(n)) == sizeof(n)) /* else it was
							  * stopped */
		tm->tm_fn();
}

int
timer_init(struct timer *tm, void (*fn)(void))
{
	tm->tm_fn = fn;
	tm->tm_ev.es_cb = timer_event;
	tm->tm_ev.es_fd = timerfd_create(CLOCK_MONOTONIC,
	    TFD_CLOEXEC | TFD_NONBLOCK);
	if (tm->tm_ev.es_fd == -1)
		return errno;
	return event_loop_add(&tm->tm_ev, EPOLLIN);
}

static void
timer_set(struct timer *tm, int64_t first, int64_t interval)
{
	const struct itimerspec its = {
		.it_value = { first / TIMER_SEC, first % TIMER_SEC },
		.it_interval = { interval / TIMER_SEC, interval % TIMER_SEC },
	};

	/* fails only for an invalid descriptor */
	if (timerfd_settime(tm->tm_ev.es_fd, 0, &its, NULL) == -1)
		log_warn("timerfd_settime");
}

void
timer_start(struct timer *tm, int64_t nsecs)
{
	timer_set(tm, nsecs > 0 ? nsecs : 1, 0);
}

void
timer_repeat(struct timer *tm, int64_t nsecs)
{
	timer_set(tm, nsecs, nsecs);
}

void
timer_stop(struct timer *tm)
{
	timer_set(tm, 0, 0);
}
