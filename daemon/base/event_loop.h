/* SPDX-License-Identifier: ISC */
/*
 * The event loop of the control thread: descriptors and what to call when
 * they are ready.  A struct ev is part of what it stands for and belongs to
 * the caller; all of these functions are the control thread's.
 */
#ifndef DAEMON_BASE_EVENT_LOOP_H
#define DAEMON_BASE_EVENT_LOOP_H

#include <stdint.h>

struct ev {
	int ev_fd;
	void (*ev_cb)(struct ev *, uint32_t events); /* EPOLLIN, ... */
};

int ev_init(void);
int ev_add(struct ev *, uint32_t events);
int ev_mod(struct ev *, uint32_t events);
/* After this, ev_cb is not called any more, not even for an event that has
 * been fetched already. */
void ev_del(struct ev *);
/* Serves events until ev_stop(). */
void ev_loop(void);
void ev_stop(void);

#endif /* DAEMON_BASE_EVENT_LOOP_H */
