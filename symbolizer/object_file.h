/* SPDX-License-Identifier: ISC */
/*
 * A file whose addresses are requested, with its functions and its debug file.
 */
#ifndef SYMBOLIZER_OBJECT_FILE_H
#define SYMBOLIZER_OBJECT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/debugfile.h"
#include "symbolizer/file_bytes.h"
#include "symbolizer/frame_sink.h"
#include "symbolizer/symbol_index.h"
#include "symbolizer/unwind_rows.h"

struct lines;
struct object_file;

/*
 * Takes ownership of the bytes.  Returns an errno: ENOEXEC no ELF file, ESTALE
 * another build id than this one (len 0: any), ENOMEM.
 */
int object_file_open(struct file_bytes *, const uint8_t *buildid, size_t len,
    debugfile_find *, struct object_file **);
void object_file_close(struct object_file *);
/*
 * Returns its build id, which lives as long as the object; *len 0: it has none.
 */
const void *object_file_buildid(const struct object_file *, size_t *len);
/*
 * Sends the frames of addresses, which are offsets in the file.  After an
 * errno, the object cannot be used any more.
 */
int object_file_names(struct object_file *, const uint64_t *offs, size_t n,
    int wantlines, struct frame_sink *);
/*
 * For queries by name: the file, and the nth file that has symbols of it (0 is
 * the file itself), or NULL; its DWARF, or NULL; and its functions by address,
 * or an errno.
 */
const struct elffile *object_file_main(const struct object_file *);
const struct elffile *object_file_symbols(struct object_file *, unsigned int n);
struct lines *object_file_lines(struct object_file *);
int object_file_index(struct object_file *, const struct symbol_index **);
/*
 * Copies the stored name of the function that contains an address, and stores
 * where that begins; "" if there is none.  An errno.
 */
int object_file_function(struct object_file *, uint64_t addr,
    char raw[SYMREQ_NAME], uint64_t *start);
/*
 * Builds the unwind table of a page; a page that can have none, or a file, has
 * no rows.  ENOMEM.
 */
int object_file_unwind(struct object_file *, uint64_t page,
    struct unwind_page_rows *);
/*
 * Returns whether more may be known later, so that it should be opened again.
 */
int object_file_islate(const struct object_file *);
/* Releases memory that can be read again. */
void object_file_trim(struct object_file *);

#endif /* SYMBOLIZER_OBJECT_FILE_H */
