/* SPDX-License-Identifier: ISC */
/*
 * The event loop of the control thread: descriptors and what to call when
 * they are ready.  A struct event_source is part of what it stands for and
 * belongs to the caller; all of these functions are the control thread's.
 */
#ifndef DAEMON_BASE_EVENT_LOOP_H
#define DAEMON_BASE_EVENT_LOOP_H

#include <stdint.h>

struct event_source {
	int es_fd;
	void (
	    *es_cb)(struct event_source *, uint32_t events); /* EPOLLIN, ... */
};

int event_loop_init(void);
int event_loop_add(struct event_source *, uint32_t events);
int event_loop_mod(struct event_source *, uint32_t events);
/* After this, es_cb is not called any more, not even for an event that has
 * been fetched already. */
void event_loop_del(struct event_source *);
/* Serves events until event_loop_stop(). */
void event_loop_run(void);
void event_loop_stop(void);

#endif /* DAEMON_BASE_EVENT_LOOP_H */
