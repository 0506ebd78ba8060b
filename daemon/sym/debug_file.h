/* SPDX-License-Identifier: ISC */
/* Finds debug files by name for symbolizer processes. */
#ifndef DAEMON_SYM_DEBUG_FILE_H
#define DAEMON_SYM_DEBUG_FILE_H

#include "wire/symbolizer.h"

struct mapped_file;

/*
 * Opens the candidate that the symbolizer requests, for a file (NULL: none).
 * Only the symbolizer can verify it. ENOENT: there are no more; EAGAIN: unknown
 * until debuginfod_wait(). Returns a descriptor, or a serial if the file was
 * sent through the channel of this thread's symbolizer, otherwise 0. Call it
 * unlocked.
 */
int debug_file_open(const struct symrep_find *, const struct mapped_file *,
    int *fd, uint64_t *serial);

#endif /* DAEMON_SYM_DEBUG_FILE_H */
