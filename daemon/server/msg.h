/* SPDX-License-Identifier: ISC */
/*
 * Reads a request in pieces and sends its reply in pieces.  Handles the header
 * and attached descriptors only; does not interpret payloads.
 */
#ifndef DAEMON_SERVER_MSG_H
#define DAEMON_SERVER_MSG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

/*
 * Maximum number of descriptors in a message: the kernel's SCM_MAX_FD.  As all
 * of them fit, the kernel never closes any on the control thread.
 */
#define MSG_MAXFDS 253

struct msg {
	struct wire_hdr msg_hdr; /* of the request */
	uint8_t *msg_in;	 /* payload; the owner allocates it when the
				  * header is complete */
	size_t msg_inlen;	 /* bytes read, including the header */
	int msg_fds[MSG_MAXFDS]; /* received with the request */
	int msg_nfds;
	int msg_cut;	   /* some exceeded the descriptor table */
	uint8_t *msg_out;  /* reply, including the header */
	size_t msg_outlen; /* 0: no reply yet */
	size_t msg_outoff; /* bytes sent */
	int msg_outfd;	   /* descriptor sent with it, or -1 */
};

void msg_init(struct msg *);
/* Frees and closes the contents and prepares for the next message. */
void msg_reset(struct msg *);
/*
 * Reads more of header or payload.  Returns bytes, 0 at the end of the stream,
 * -1 with errno.
 */
ssize_t msg_recv(struct msg *, int sock);
/* Returns whether header and payload are complete. */
int msg_complete(const struct msg *);
/*
 * Sends the rest of the reply.  Returns 0 when it is complete, EAGAIN, or
 * another errno.
 */
int msg_send(struct msg *, int sock);

#endif /* DAEMON_SERVER_MSG_H */
