/* SPDX-License-Identifier: ISC */
/*
 * Workers: a few threads for what has to wait for the kernel (loading,
 * attaching, grace periods), so that neither the control thread nor the data
 * thread ever does.
 */
#ifndef DAEMON_BASE_WORKERS_H
#define DAEMON_BASE_WORKERS_H

struct work {
	void (*w_run)(struct work *);  /* on a worker */
	void (*w_done)(struct work *); /* then on the control thread */
	struct work *w_next;	       /* the queue's */
};

int workers_init(void);
/* Queues w, which belongs to the queue until w_done is called (NULL: until
 * w_run returns).  From any thread. */
void workers_submit(struct work *);
/* The same on a thread of its own, for what takes seconds: other work need not
 * wait behind it.  w_done must not be NULL. */
void workers_alone(struct work *);

#endif /* DAEMON_BASE_WORKERS_H */
