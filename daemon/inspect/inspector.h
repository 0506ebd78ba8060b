/* SPDX-License-Identifier: ISC */
/*
 * An inspector's own side, see inspect.h: what crosses its socket, and what an
 * operation is.  Operations run in the inspector and may wait for ever.  They
 * use nothing of dtd but what was there when the forker was forked: no tables,
 * no log, no locks.
 */
#ifndef DAEMON_INSPECT_INSPECTOR_H
#define DAEMON_INSPECT_INSPECTOR_H

#include "daemon/inspect/inspect.h"

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
	INSPECT_BEGUN, /* from now on it is at a process of ir_uid: ir_key; a
			  piece may follow */
	INSPECT_PIECE, /* a piece of the answer follows */
	INSPECT_DONE   /* ir_error; then the answer and its descriptors */
};

/* What an inspector says: this, then the payload. */
struct inspect_reply {
	uint32_t ir_serial;
	uint32_t ir_kind;
	int32_t ir_error;
	uid_t ir_uid;
	uint32_t ir_msecs; /* since the last BEGUN, that the operation waited
			      for something else than a CPU */
	uint32_t ir_key;   /* BEGUN: pid; 0: that of the request */
};

_Static_assert(sizeof(struct inspect_reply) % 8 == 0, "payloads are aligned");

/* A request under way. */
struct inspect_call {
	int icc_sock;
	uint32_t icc_serial;
	const struct inspect_request *icc_request;
	int64_t icc_since;  /* waited_msecs() when it was called last, */
	int64_t icc_begun;  /* and clock_msecs() at the last BEGUN */
	pid_t icc_pid;	    /* 0: none */
	const void *icc_in; /* the request, aligned to 8, and a NUL byte */
	size_t icc_inlen;
	int icc_fds[INSPECT_MAXFDS]; /* closed behind the operation */
	unsigned int icc_nfds;
	/* The answer, which the operation fills. */
	uint8_t *icc_out; /* room for INSPECT_MAXMSG bytes */
	size_t icc_outlen;
	int icc_outfds[INSPECT_MAXFDS]; /* closed when they have been sent */
	unsigned int icc_noutfds;
};

/* Each returns an errno. */
typedef int inspect_fn(struct inspect_call *);

inspect_fn inspect_client;
inspect_fn inspect_look;
inspect_fn inspect_find;
inspect_fn inspect_stat_op;
inspect_fn inspect_open_op;
inspect_fn inspect_jitmap;
inspect_fn inspect_read;
inspect_fn inspect_debug;

/*
 * Before an operation that looks at several processes does what may wait: it is
 * at this one of them from now on.  A piece (len is not 0) goes with that, and
 * is sent if this returns 0.  EBUSY: its user is barred.
 */
int inspect_next(struct inspect_call *, pid_t, uid_t, const void *, size_t len);
/* Sends a piece of a long answer: an errno, if nobody listens any more. */
int inspect_piece(const struct inspect_call *, const void *, size_t len);
/* Serves sock until its other end is closed.  Bytes are dtd's. */
void inspect_serve(int sock) __attribute__((noreturn));

#endif /* DAEMON_INSPECT_INSPECTOR_H */
