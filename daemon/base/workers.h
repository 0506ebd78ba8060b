/* SPDX-License-Identifier: ISC */
/*
 * A few threads for work that blocks in the kernel (loading, attaching, grace
 * periods), so that the control and data threads never block.
 */
#ifndef DAEMON_BASE_WORKERS_H
#define DAEMON_BASE_WORKERS_H

#include <stdint.h>
#include <sys/types.h>

struct work {
	void (*w_run)(struct work *);  /* on a worker */
	void (*w_done)(struct work *); /* then on the control thread */
	uid_t w_person;	     /* user whose work it is; 0: root's or dtd's */
	struct work *w_next; /* next in the queue */
	uint64_t w_turn;     /* round of the queue in which it begins */
};

int workers_init(void);
/*
 * Queues w, which belongs to the queue until w_done is called (NULL: until
 * w_run returns).  Users take turns, so one who queues much work delays the
 * work of another by one piece.  Root's work does not wait while others occupy
 * all workers: some of it runs on separate threads.  Any thread.
 */
void workers_submit(struct work *);
/*
 * Runs w on a separate thread, for work that may take seconds, so that it does
 * not delay other work.  The thread may have run other work before.  w_done must
 * not be NULL.
 */
void workers_alone(struct work *);
/*
 * dtd is exiting: work runs on separate threads from now on, since sessions are
 * closed all at once, and each close waits for the kernel.
 */
void workers_end(void);

#endif /* DAEMON_BASE_WORKERS_H */
