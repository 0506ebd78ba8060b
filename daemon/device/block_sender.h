/* SPDX-License-Identifier: ISC */
/*
 * Sends a block to a client's data socket, in pieces if the socket is full; the
 * rest is sent in the next pass.  Data thread only.
 */
#ifndef DAEMON_DEVICE_BLOCK_SENDER_H
#define DAEMON_DEVICE_BLOCK_SENDER_H

#include <stddef.h>

#include "wire/wire.h"

struct stream;

struct block_sender {
	struct wire_block bs_hdr;
	const void
	    *bs_data;	/* bs_hdr.wb_nbytes; the caller's, valid until it is
			 * sent */
	size_t bs_sent; /* bytes of header and data */
	int bs_busy;	/* a block is in progress */
};

/* Sets the next block; no other may be in progress. */
void block_sender_set(struct block_sender *, uint32_t kind, uint32_t cpu,
    const void *data, size_t nbytes, uint64_t lowwater);
/*
 * Sends the rest of the block.  Returns 1 if it is complete, 0 if the socket is
 * full, -1 if the client has disconnected.
 */
int block_sender_send(struct block_sender *, struct stream *);

#endif /* DAEMON_DEVICE_BLOCK_SENDER_H */
