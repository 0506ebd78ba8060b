/* SPDX-License-Identifier: ISC */
/* Frames that are being collected: an answer of the worker, or a part of one. */
#ifndef DAEMON_SYM_FRAME_BUF_H
#define DAEMON_SYM_FRAME_BUF_H

#include <stddef.h>

#include "wire/symbolizer.h"

#define SYMBOOK_FRAMES (4U << 20) /* a limit to what the worker may say */
#define SYMBOOK_BYTES  (256U << 20)

struct symbook {
	struct symrep_frame *sb_frames; /* names: where in sb_strings */
	size_t sb_n, sb_max;
	char *sb_strings;
	size_t sb_nbytes, sb_maxbytes;
	uint8_t sb_buildid[SYMREQ_BUILDID]; /* of the file that was asked, */
	uint32_t sb_buildidlen;		    /* when the worker has answered */
};

/* Room for so many more.  ENOMEM, E2BIG. */
int symbook_room(struct symbook *, size_t nframes, size_t nbytes);
/* Adds a frame with its strings, which may be NULL; the numbers are taken from
 * the given one. */
int symbook_add(struct symbook *, const struct symrep_frame *, const char *func,
    const char *file);
/* The string, or NULL. */
const char *symbook_string(const struct symbook *, uint32_t at);
void symbook_free(struct symbook *);

#endif /* DAEMON_SYM_FRAME_BUF_H */
