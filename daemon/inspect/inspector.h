/* SPDX-License-Identifier: ISC */
/*
 * The inspector process: messages on its socket, and operations, which dtd
 * requests by inspect.h.  Operations run in the inspector and may block
 * forever. They use only state of dtd from before the forker was forked: no
 * tables, no log, no locks.
 */
#ifndef DAEMON_INSPECT_INSPECTOR_H
#define DAEMON_INSPECT_INSPECTOR_H

#include "daemon/inspect/inspect.h"

#define INSPECT_NBARRED 16 /* users whose processes must not be inspected */

/*
 * A request: this struct, then the payload; one message with its descriptors.
 */
struct inspect_request {
	uint32_t iq_serial;
	uint32_t iq_op;
	int32_t iq_pid;
	uint32_t iq_nbarred;
	uid_t iq_barred[INSPECT_NBARRED];
};

_Static_assert(sizeof(struct inspect_request) % 8 == 0, "payloads are aligned");

enum inspect_kind {
	INSPECT_BEGUN, /* now inspecting ir_key, a process of ir_uid; a piece
		        * may follow */
	INSPECT_PIECE, /* a piece of the reply follows */
	INSPECT_DONE   /* ir_error; then the reply and its descriptors */
};

/* A message of an inspector: this struct, then the payload. */
struct inspect_reply {
	uint32_t ir_serial;
	uint32_t ir_kind;
	int32_t ir_error;
	uid_t ir_uid;
	uint32_t ir_msecs; /* since the last BEGUN, time that the operation
			    * waited for anything except a CPU */
	uint32_t ir_key;   /* BEGUN: pid; 0: the request's */
};

_Static_assert(sizeof(struct inspect_reply) % 8 == 0, "payloads are aligned");

/* A request in progress. */
struct inspect_call {
	int icc_sock;
	uint32_t icc_serial;
	const struct inspect_request *icc_request;
	int64_t icc_since;  /* waited_msecs() at its last call */
	int64_t icc_begun;  /* clock_msecs() at the last BEGUN */
	pid_t icc_pid;	    /* 0: no process */
	const void *icc_in; /* the payload, aligned to 8, followed by a NUL
			     * byte */
	size_t icc_inlen;
	int icc_fds[INSPECT_MAXFDS]; /* closed after the operation */
	unsigned int icc_nfds;
	/* The reply, which the operation fills. */
	uint8_t *icc_out; /* buffer of INSPECT_MAXMSG bytes */
	size_t icc_outlen;
	int icc_outfds[INSPECT_MAXFDS]; /* closed after they were sent */
	unsigned int icc_noutfds;
};

/* Each returns an errno. */
typedef int inspect_fn(struct inspect_call *);

inspect_fn inspect_client;
inspect_fn inspect_proc;
inspect_fn inspect_find;
inspect_fn inspect_stat_op;
inspect_fn inspect_served_op;
inspect_fn inspect_open_op;
inspect_fn inspect_jitmap;
inspect_fn inspect_read;
inspect_fn inspect_debug;
inspect_fn inspect_stacks;

/*
 * Announces the next process of an operation on several, before anything that
 * may block.  A piece (len > 0) is sent along if this returns 0.  EBUSY: the
 * process's user is barred.
 */
int inspect_next(struct inspect_call *, pid_t, uid_t, const void *, size_t len);
/* Sends a piece of a long reply.  Returns an errno if dtd no longer listens. */
int inspect_piece(const struct inspect_call *, const void *, size_t len);
/* Serves sock until its other end is closed.  Trusts dtd's messages. */
void inspect_serve(int sock) __attribute__((noreturn));

#endif /* DAEMON_INSPECT_INSPECTOR_H */
