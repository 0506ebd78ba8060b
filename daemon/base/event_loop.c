/* SPDX-License-Identifier: ISC */
/*
 * Implements event_loop.h with level-triggered epoll.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>

#include "daemon/base/event_loop.h"
#include "daemon/base/latency.h"
#include "daemon/base/log.h"
#include "daemon/base/sched.h"

#define EVENT_LOOP_BATCH 64 /* events fetched per call */
/*
 * Applies while the thread has no real-time priority.  Moderate, so that a
 * client that floods dtd with requests gains little CPU time.
 */
#define EV_NICE (-5)

static int epfd = -1;
static int running;
/*
 * Events fetched but not yet handled; event_loop_del() blanks a source's own.
 */
static struct epoll_event batch[EVENT_LOOP_BATCH];
static int nbatch;

int
event_loop_init(void)
{
	epfd = epoll_create1(EPOLL_CLOEXEC);
	return epfd == -1 ? errno : 0;
}

static int
event_loop_ctl(int op, struct event_source *ev, uint32_t events)
{
	struct epoll_event ee = { .events = events, .data.ptr = ev };

	if (epoll_ctl(epfd, op, ev->es_fd, &ee) == 0)
		return 0;
	/* kernel memory; ENOSPC has another meaning for clients */
	return errno == ENOSPC ? ENOMEM : errno;
}

int
event_loop_add(struct event_source *ev, uint32_t events)
{
	return event_loop_ctl(EPOLL_CTL_ADD, ev, events);
}

int
event_loop_mod(struct event_source *ev, uint32_t events)
{
	return event_loop_ctl(EPOLL_CTL_MOD, ev, events);
}

void
event_loop_del(struct event_source *ev)
{
	int i;

	(void)event_loop_ctl(EPOLL_CTL_DEL, ev, 0);
	for (i = 0; i < nbatch; i++)
		if (batch[i].data.ptr == ev)
			batch[i].data.ptr = NULL;
}

void
event_loop_run(void)
{
	struct sched_realtime realtime = { 0 };
	struct event_source *ev;
	int i, n;

	sched_prompt(EV_NICE); /* all clients wait for this thread */
	running = 1;
	while (running) {
		sched_realtime(&realtime);
		n = epoll_wait(epfd, batch, EVENT_LOOP_BATCH, -1);
		if (n == -1 && errno != EINTR)
			fatal("epoll_wait");
		latency_begin(LATENCY_CONTROL);
		nbatch = n == -1 ? 0 : n;
		for (i = 0; i < nbatch; i++) {
			ev = batch[i].data.ptr;
			if (ev != NULL)
				ev->es_cb(ev, batch[i].events);
		}
		nbatch = 0;
		latency_end(LATENCY_CONTROL, 0);
	}
}

void
event_loop_stop(void)
{
	running = 0;
}
