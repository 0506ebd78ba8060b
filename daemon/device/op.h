/* SPDX-License-Identifier: ISC */
/*
 * Operations on a session: requests of its client, what the daemon does by
 * itself (jobs), and the close.  Each session has a queue in the server, which
 * runs them one at a time: a request that arrives during a job waits for its
 * end, and so does the close; a job that becomes due during a request follows
 * it.
 *
 * A function of an operation returns 0, an errno, or op_later().
 */
#ifndef DAEMON_DEVICE_OP_H
#define DAEMON_DEVICE_OP_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/reason.h"
#include "wire/wire.h"

struct op_queue;

/*
 * An operation in progress.  Only its function of the moment touches it.  A
 * request has an argument and a reply; of a job and of the close, these are
 * unset.
 */
struct op {
	struct op_queue *op_queue; /* of the session */
	void *op_sc;		   /* the session */
	uint32_t op_cmd;
	const void *op_arg; /* length within id_inmin and id_inmax */
	size_t op_arglen;
	void *op_out; /* reply, OP_MAXOUT bytes */
	size_t op_outlen;
	int op_outfd; /* sent with a successful reply; -1: none */
	/*
	 * O_PATH, of the file that the client sent, open for reading; -1: none.
	 * A function that keeps it sets this to -1.
	 */
	int op_infd;
	struct reason op_reason;
};

#define OP_MAXOUT WIRE_MAXPAYLOAD
#define OP_LATER  (-1)

/* Returns the error, whose reason the client receives. */
int op_fail(struct op *, int error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Copies the reply.  Returns 0. */
int op_reply(struct op *, const void *, size_t nbytes);

/*
 * These are for the control thread; the server implements them.
 */

/*
 * Continues an operation: run() is called on a worker, or on a separate thread
 * if it takes long, and done() with its result on the control thread.  done()
 * returns the result of the operation, or op_later() again; it may be NULL.
 * Returns OP_LATER.
 */
int op_later(struct op *, int (*run)(struct op *),
    int (*done)(struct op *, int error), int islong);

/*
 * Different jobs of a session that are due at once, at most: dt has six, of
 * pairs, files, costs, CPUs, the service's exit and unused symbols.
 */
#define OP_NJOBS 8

/*
 * Makes a job due: it is called when no operation is in progress, if the client
 * is still connected.
 */
void op_request(struct op_queue *, int (*job)(struct op *));
/* Returns whether an operation is in progress. */
int op_isbusy(const struct op_queue *);

#endif /* DAEMON_DEVICE_OP_H */
