/* SPDX-License-Identifier: ISC */
/*
 * An inspector's own side, see inspect.h: what crosses its socket, and what an
 * operation is.  Operations run in the inspector and may wait for ever.  They
 * use nothing of dtd but what was there when the forker was forked: no tables,
 * no log, no locks.
 */
#ifndef DAEMON_INSPECT_PROC_H
#define DAEMON_INSPECT_PROC_H

#include "inspect.h"

#define INSPECT_NBARRED 16 /* users whose processes are not to be looked at */

/* A request: this, then the payload; a message with its descriptors. */
struct inspect_request {
	uint32_t iq_serial;
	uint32_t iq_op;
	int32_t iq_pid;
	uint32_t iq_nbarred;
	uid_t iq_barred[INSPECT_NBARRED];
};

_Static_assert(sizeof(struct inspect_request) % 8 == 0, "payloads are aligned");

enum inspect_kind {
	INSPECT_BEGUN, /* the user of the process is known: ir_uid */
	INSPECT_PIECE, /* a piece of the answer follows */
	INSPECT_DONE   /* ir_error; then the answer and its descriptors */
};

/* What an inspector says: this, then the payload. */
struct inspect_reply {
	uint32_t ir_serial;
	uint32_t ir_kind;
	int32_t ir_error;
	uid_t ir_uid;
	uint32_t ir_msecs; /* that the operation waited for something else than
			      a CPU */
};

/* A request under way. */
struct inspect_call {
	int ic_sock;
	uint32_t ic_serial;
	pid_t ic_pid;	   /* 0: none */
	const void *ic_in; /* the request, aligned to 8, and a NUL byte */
	size_t ic_inlen;
	int ic_fds[INSPECT_MAXFDS]; /* closed behind the operation */
	unsigned int ic_nfds;
	/* The answer, which the operation fills. */
	uint8_t *ic_out; /* room for INSPECT_MAXMSG bytes */
	size_t ic_outlen;
	int ic_outfds[INSPECT_MAXFDS]; /* closed when they have been sent */
	unsigned int ic_noutfds;
};

/* Each returns an errno. */
typedef int inspect_fn(struct inspect_call *);

inspect_fn inspect_client;

/* Sends a piece of a long answer: an errno, if nobody listens any more. */
int inspect_piece(const struct inspect_call *, const void *, size_t len);
/* Serves sock until its other end is closed.  Bytes are dtd's. */
void inspect_serve(int sock) __attribute__((noreturn));

#endif /* DAEMON_INSPECT_PROC_H */
