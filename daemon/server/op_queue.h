/* SPDX-License-Identifier: ISC */
/* Runs the operations of a session (daemon/device/op.h).  Control thread. */
#ifndef DAEMON_SERVER_OP_QUEUE_H
#define DAEMON_SERVER_OP_QUEUE_H

#include <sys/types.h>

#include "daemon/device/op.h"

struct cdevsw;
struct ioctl_desc;

/*
 * Allocates the queue of a session being opened. person is charged for the CPU
 * time of its operations; reply() is called with the result of each request.
 * NULL: out of memory.
 */
struct op_queue *op_queue_alloc(const struct cdevsw *, uid_t person,
    void (*reply)(struct op *, int error));
/* Frees a queue whose session could not be opened. */
void op_queue_free(struct op_queue *);
/* Set and return the session. */
void op_queue_open(struct op_queue *, void *sc);
void *op_queue_session(const struct op_queue *);
/* Runs a request, at once or after the job in progress. */
void op_queue_run(struct op_queue *, struct op *, const struct ioctl_desc *);
/*
 * The client has disconnected: no job begins any more.  A request in progress
 * continues, and op_queue_close() follows its end.
 */
void op_queue_hangup(struct op_queue *);
/* Closes the session, then frees the queue. */
void op_queue_close(struct op_queue *);

#endif /* DAEMON_SERVER_OP_QUEUE_H */
