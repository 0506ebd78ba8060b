/* SPDX-License-Identifier: ISC */
/*
 * Finds the debug file of a stripped file. dtd opens the candidates; one is
 * accepted only if its build id, or its checksum, is the one that the stripped
 * file names.
 */
#ifndef SYMBOLIZER_DEBUGFILE_H
#define SYMBOLIZER_DEBUGFILE_H

#include "symbolizer/elffile.h"
#include "wire/symbolizer.h"

/*
 * Opens a candidate.  Returns 0, ENOENT if there are no more, or EAGAIN if it
 * may be available later.
 */
typedef int debugfile_find(const struct symrep_find *, int *fd);

/*
 * Finds the debug file by build id, then by its name.  Returns ENOENT or
 * EAGAIN.
 */
int debugfile_open(const struct elffile *, debugfile_find *, struct elffile *);
/*
 * Finds the shared file of debug files with this name and build id.  Returns
 * ENOENT or EAGAIN.
 */
int debugfile_alt(const char *name, const void *buildid, size_t len,
    debugfile_find *, struct elffile *);

#endif /* SYMBOLIZER_DEBUGFILE_H */
