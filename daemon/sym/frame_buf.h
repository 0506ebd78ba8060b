/* SPDX-License-Identifier: ISC */
/*
 * Collects frames: a reply of the symbolizer, or a part of one.
 */
#ifndef DAEMON_SYM_FRAME_BUF_H
#define DAEMON_SYM_FRAME_BUF_H

#include <stddef.h>

#include "wire/symbolizer.h"

/* Limit of frames accepted from the symbolizer. */
#define FRAME_BUF_FRAMES (4U << 20)
#define FRAME_BUF_BYTES	 (256U << 20)

struct frame_buf {
	struct wire_frame *fb_frames; /* strings are in fb_strings */
	struct symrep_span *fb_spans; /* of each frame, {0, 0} if cached */
	size_t fb_n, fb_max, fb_maxspans;
	char *fb_strings;
	size_t fb_nbytes, fb_maxbytes;
	uint8_t fb_buildid[SYMREQ_BUILDID]; /* of the requested file, */
	uint32_t fb_buildidlen;		    /* set when the symbolizer has
					     * replied */
};

/* Reserves space. ENOMEM, E2BIG. */
int frame_buf_room(struct frame_buf *, size_t nframes, size_t nbytes);
/* Adds a frame, whose strings are offsets in the given ones. */
int frame_buf_add(struct frame_buf *, const struct wire_frame *,
    const char *strings);
void frame_buf_free(struct frame_buf *);

#endif /* DAEMON_SYM_FRAME_BUF_H */
