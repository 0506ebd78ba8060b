/* SPDX-License-Identifier: ISC */
/* Implements the symbolizer's side of the protocol in wire/symbolizer.h. */
#ifndef SYMBOLIZER_REQUESTS_H
#define SYMBOLIZER_REQUESTS_H

#include <stddef.h>
#include <sys/uio.h>

#include "symbolizer/frame_sink.h"
#include "symbolizer/unwind_rows.h"
#include "wire/symbolizer.h"

struct request {
	struct symreq rq_head;
	uint64_t rq_pcs[SYMREQ_MAXPCS];
	int rq_fd; /* -1: none received */
};

/* Receives the next request; returns 0 when dtd has exited. */
int proto_next(struct request *);
/* Returns the sink that sends frames as replies. */
struct frame_sink *proto_sink(void);
/*
 * Sends the build id of the file, once before the end; too long ones are
 * omitted.
 */
void proto_buildid(const void *, size_t);
/* Sends the table of a page, which is an index in the request. */
void proto_table(uint32_t page, const struct unwind_page_rows *);
/* Sends a message of a reply. */
void proto_send(struct iovec *, int n);
/* Ends the reply. */
void proto_end(int error);
/* Requests a file from dtd. errno: ENOENT, there are no more candidates. */
int proto_find(const struct symrep_find *, int *fd);

#endif /* SYMBOLIZER_REQUESTS_H */
