/* SPDX-License-Identifier: ISC */
/*
 * What names take is given back when nobody has asked for a while: a timer
 * that runs from a request until all that it needed can go.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"
#include "dt_softc.h"
#include "ev.h"
#include "sym/symbolizer.h"

#define TRIM_PERIOD 5	/* s between two looks */
#define TRIM_LAST   120 /* s after the last request; all is given back then */

static struct ev trim_ev = { .ev_fd = -1 }; /* c */
static uint64_t trim_asked;		    /* c: last request, ns */
static int trim_isarmed;		    /* c */
static atomic_int trim_running;		    /* a worker is at it */

static void
trim_run(struct work *w)
{
	symbolizer_trim();
	atomic_store(&trim_running, 0);
	free(w);
}

static void
trim_arm(int secs)
{
	struct itimerspec its = { .it_interval.tv_sec = secs,
		.it_value.tv_sec = secs };

	trim_isarmed = secs != 0;
	(void)timerfd_settime(trim_ev.ev_fd, 0, &its, NULL);
}

static void
trim_event(struct ev *ev, uint32_t events __attribute__((unused)))
{
	struct work *w;
	uint64_t n;

	if (read(ev->ev_fd, &n, sizeof(n)) == -1)
		return;
	if (clock_monotonic() - trim_asked > TRIM_LAST * 1000000000ULL)
		trim_arm(0);
	if (atomic_exchange(&trim_running, 1) != 0)
		return;
	if ((w = calloc(1, sizeof(*w))) == NULL) {
		atomic_store(&trim_running, 0);
		return;
	}
	w->w_run = trim_run;
	work_submit(w);
}

void
dt_symtrim_ask(void)
{
	trim_asked = clock_monotonic();
	if (trim_isarmed)
		return;
	if (trim_ev.ev_fd == -1) {
		trim_ev.ev_cb = trim_event;
		trim_ev.ev_fd = timerfd_create(CLOCK_MONOTONIC,
		    TFD_CLOEXEC | TFD_NONBLOCK);
		if (trim_ev.ev_fd == -1)
			return; /* the next one tries again */
		if (ev_add(&trim_ev, EPOLLIN) != 0) {
			close(trim_ev.ev_fd);
			trim_ev.ev_fd = -1;
			return;
		}
	}
	trim_arm(TRIM_PERIOD);
}
