/* SPDX-License-Identifier: ISC */
/*
 * The event loop of the control thread, which calls functions when descriptors
 * are ready.  A struct event_source is embedded in its object and belongs to
 * the caller.  Control thread only.
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
/*
 * Removes a source.  es_cb is not called afterwards, even for an event that has
 * already been fetched.
 */
void event_loop_del(struct event_source *);
/* Serves events until event_loop_stop(). */
void event_loop_run(void);
void event_loop_stop(void);

#endif /* DAEMON_BASE_EVENT_LOOP_H */
