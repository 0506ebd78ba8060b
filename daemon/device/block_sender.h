/* SPDX-License-Identifier: ISC */
/*
 * A block on its way to a client's data socket, which may take it in pieces:
 * what is left stays where it is until the next pass.  The data thread's.
 */
#ifndef DAEMON_DEVICE_BLOCK_SENDER_H
#define DAEMON_DEVICE_BLOCK_SENDER_H

#include <stddef.h>

#include "wire/wire.h"

struct stream;

struct outblock {
	struct wire_block ob_hdr;
	const void
	    *ob_data;	/* ob_hdr.wb_nbytes; the caller's, till it is sent */
	size_t ob_sent; /* of header and data */
	int ob_busy;	/* there is one */
};

/* The next block; none is under way. */
void outblock_set(struct outblock *, uint32_t kind, uint32_t cpu,
    const void *data, size_t nbytes, uint64_t lowwater);
/* Sends what is left of it: 1 all, 0 the socket is full, -1 it is dead. */
int outblock_send(struct outblock *, struct stream *);

#endif /* DAEMON_DEVICE_BLOCK_SENDER_H */
