/* SPDX-License-Identifier: ISC */
/* The worker's side of the socket: see wire/symbolizer.h. */
#ifndef SYMBOLIZER_PROTO_H
#define SYMBOLIZER_PROTO_H

#include <stddef.h>

#include "symbolizer/frame_sink.h"
#include "wire/symbolizer.h"

struct request {
	struct symreq rq_head;
	uint64_t rq_pcs[SYMREQ_MAXPCS];
	int rq_fd; /* -1: none came */
};

/* The next request; returns 0 when dtd has gone. */
int proto_next(struct request *);
/* The sink that answers it. */
struct frame_sink *proto_sink(void);
/* The build id of the file, once before the end; a longer one is not told. */
void proto_buildid(const void *, size_t);
/* The end of the answer. */
void proto_end(int error);
/* Asks dtd for a file.  errno: ENOENT, there are no more of it. */
int proto_ask(const struct symrep_ask *, int *fd);

#endif /* SYMBOLIZER_PROTO_H */
