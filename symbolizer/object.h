/* SPDX-License-Identifier: ISC */
/*
 * A file whose addresses are requested, with its functions and its debug file.
 */
#ifndef SYMBOLIZER_OBJECT_H
#define SYMBOLIZER_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/debugfile.h"
#include "symbolizer/frame_sink.h"
#include "symbolizer/image.h"
#include "symbolizer/unwind_rows.h"

struct object;

/* Takes the image over.  errno: ENOEXEC no ELF file, ESTALE not the one with
 * this build id (len 0: any), ENOMEM. */
int object_open(struct image *, const uint8_t *buildid, size_t len,
    debugfile_ask *, struct object **);
void object_close(struct object *);
/* Its build id, which lives as long; *len 0: it has none. */
const void *object_buildid(const struct object *, size_t *len);
/* Frames for addresses, which are offsets into the file.  errno: the object is
 * of no use any more. */
int object_names(struct object *, const uint64_t *offs, size_t n, int wantlines,
    struct frame_sink *);
/*
 * Builds the unwind table of a page; a page that can have none, or a file, has
 * no rows.  ENOMEM.
 */
int object_unwind(struct object *, uint64_t page, struct unwind_page_rows *);
/*
 * Returns whether more may be known later, so that it should be opened again.
 */
int object_islate(const struct object *);
/* Releases memory that can be read again. */
void object_trim(struct object *);

#endif /* SYMBOLIZER_OBJECT_H */
