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

struct block_sender {
	struct wire_block bs_hdr;
	const void
	    *bs_data;	/* bs_hdr.wb_nbytes; the caller's, till it is sent */
	size_t bs_sent; /* of header and data */
	int bs_busy;	/* there is one */
};

/* The next block; none is under way. */
void block_sender_set(struct block_sender *, uint32_t kind, uint32_t cpu,
    const void *data, size_t nbytes, uint64_t lowwater);
/* Sends what is left of it: 1 all, 0 the socket is full, -1 it is dead. */
int block_sender_send(struct block_sender *, struct stream *);

#endif /* DAEMON_DEVICE_BLOCK_SENDER_H */
