/* SPDX-License-Identifier: ISC */
/*
 * A message on its way: read in pieces, then answered in pieces.  Knows the
 * header and descriptors that come along, no command.
 */
#ifndef DAEMON_SERVER_MSG_H
#define DAEMON_SERVER_MSG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

/* Descriptors that come with a message: the kernel's SCM_MAX_FD.  With room for
 * all of them the kernel has none to close on our time. */
#define MSG_MAXFDS 253

struct msg {
	struct wire_hdr msg_hdr; /* of the request */
	uint8_t *msg_in;	 /* its payload; the owner allocates
					   when the header is complete */
	size_t msg_inlen;	 /* read so far, header included */
	int msg_fds[MSG_MAXFDS]; /* came with it */
	int msg_nfds;
	int msg_cut;	   /* some had no room in our table */
	uint8_t *msg_out;  /* reply, header included */
	size_t msg_outlen; /* 0: there is none yet */
	size_t msg_outoff; /* sent so far */
	int msg_outfd;	   /* goes along, -1 if none */
};

void msg_init(struct msg *);
/* Frees and closes what it holds; ready for the next. */
void msg_reset(struct msg *);
/* Reads some more of header or payload.  Returns bytes, 0 at the end of the
 * stream, -1 with errno. */
ssize_t msg_recv(struct msg *, int sock);
/* Whether header and payload are complete. */
int msg_complete(const struct msg *);
/* Sends what is left of the reply.  Returns 0 when all is sent, EAGAIN, or
 * another errno. */
int msg_send(struct msg *, int sock);

#endif /* DAEMON_SERVER_MSG_H */
