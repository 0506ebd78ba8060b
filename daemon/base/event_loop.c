/* SPDX-License-Identifier: ISC */
/* The event loop of the control thread, see event_loop.h: epoll,
 * level-triggered. */
#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>

#include "daemon/base/event_loop.h"
#include "daemon/base/latency.h"
#include "daemon/base/log.h"
#include "daemon/base/sched.h"

#define EV_BATCH 64 /* events fetched at once */
/* Who floods it with commands is not to get much of a CPU by that. */
#define EV_NICE (-5)

static int epfd = -1;
static int running;
/* What has been fetched and not yet served; ev_del() blanks its own. */
static struct epoll_event batch[EV_BATCH];
static int nbatch;

int
ev_init(void)
{
	epfd = epoll_create1(EPOLL_CLOEXEC);
	return epfd == -1 ? errno : 0;
}

static int
ev_ctl(int op, struct ev *ev, uint32_t events)
{
	struct epoll_event ee = { .events = events, .data.ptr = ev };

	if (epoll_ctl(epfd, op, ev->ev_fd, &ee) == 0)
		return 0;
	/* of kernel memory; to a client it means another thing */
	return errno == ENOSPC ? ENOMEM : errno;
}

int
ev_add(struct ev *ev, uint32_t events)
{
	return ev_ctl(EPOLL_CTL_ADD, ev, events);
}

int
ev_mod(struct ev *ev, uint32_t events)
{
	return ev_ctl(EPOLL_CTL_MOD, ev, events);
}

void
ev_del(struct ev *ev)
{
	int i;

	(void)ev_ctl(EPOLL_CTL_DEL, ev, 0);
	for (i = 0; i < nbatch; i++)
		if (batch[i].data.ptr == ev)
			batch[i].data.ptr = NULL;
}

void
ev_loop(void)
{
	struct ev *ev;
	int i, n;

	prompt_thread(EV_NICE); /* all clients wait for it */
	running = 1;
	while (running) {
		n = epoll_wait(epfd, batch, EV_BATCH, -1);
		if (n == -1 && errno != EINTR)
			fatal("epoll_wait");
		stall_begin(STALL_CONTROL);
		nbatch = n == -1 ? 0 : n;
		for (i = 0; i < nbatch; i++) {
			ev = batch[i].data.ptr;
			if (ev != NULL)
				ev->ev_cb(ev, batch[i].events);
		}
		nbatch = 0;
		stall_end(STALL_CONTROL, 0);
	}
}

void
ev_stop(void)
{
	running = 0;
}
