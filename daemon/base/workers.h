/* SPDX-License-Identifier: ISC */
/*
 * A few threads for work that blocks in the kernel (loading, attaching, grace
 * periods), so that the control and data threads never block.
 */
#ifndef DAEMON_BASE_WORKERS_H
#define DAEMON_BASE_WORKERS_H

struct work {
	void (*w_run)(struct work *);  /* on a worker */
	void (*w_done)(struct work *); /* then on the control thread */
	struct work *w_next;	       /* next in the queue */
};

int workers_init(void);
/*
 * Queues w, which belongs to the queue until w_done is called (NULL: until
 * w_run returns).  Any thread.
 */
void workers_submit(struct work *);
/*
 * Runs w on a separate thread, for work that takes seconds, so that it does not
 * delay other work.  w_done must not be NULL.
 */
void workers_alone(struct work *);

#endif /* DAEMON_BASE_WORKERS_H */
