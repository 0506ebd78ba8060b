/* SPDX-License-Identifier: ISC */
/*
 * A frame on its way: read in pieces, then answered in pieces.  Knows the
 * header and descriptors that come along, no command.
 */
#ifndef DAEMON_SERVER_MSG_H
#define DAEMON_SERVER_MSG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

/* Descriptors that come with a frame: the kernel's SCM_MAX_FD.  With room for
 * all of them the kernel has none to close on our time. */
#define FRAME_MAXFDS 253

struct frame {
	struct wire_hdr fr_hdr;	  /* of the request */
	uint8_t *fr_in;		  /* its payload; the owner allocates
					   when the header is complete */
	size_t fr_inlen;	  /* read so far, header included */
	int fr_fds[FRAME_MAXFDS]; /* came with it */
	int fr_nfds;
	int fr_cut;	  /* some had no room in our table */
	uint8_t *fr_out;  /* reply, header included */
	size_t fr_outlen; /* 0: there is none yet */
	size_t fr_outoff; /* sent so far */
	int fr_outfd;	  /* goes along, -1 if none */
};

void frame_init(struct frame *);
/* Frees and closes what it holds; ready for the next. */
void frame_reset(struct frame *);
/* Reads some more of header or payload.  Returns bytes, 0 at the end of the
 * stream, -1 with errno. */
ssize_t frame_recv(struct frame *, int sock);
/* Whether header and payload are complete. */
int frame_complete(const struct frame *);
/* Sends what is left of the reply.  Returns 0 when all is sent, EAGAIN, or
 * another errno. */
int frame_send(struct frame *, int sock);

#endif /* DAEMON_SERVER_MSG_H */
