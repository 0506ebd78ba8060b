/* SPDX-License-Identifier: ISC */
/* Files with what was stripped from others, found by name for the worker. */
#ifndef DAEMON_SYM_DEBUG_FILE_H
#define DAEMON_SYM_DEBUG_FILE_H

#include "wire/symbolizer.h"

struct mapped_file;

/*
 * Opens the candidate that the worker asks for, of a file (NULL: none).  Only
 * the worker can tell whether it is the one.  ENOENT: there are no more;
 * EAGAIN: unknown until debuginfod_wait().  Returns a descriptor, or a serial
 * if the file was sent through the channel of this thread's worker, otherwise
 * 0. Call it unlocked.
 */
int debug_file_open(const struct symrep_ask *, const struct mapped_file *,
    int *fd, uint64_t *serial);

#endif /* DAEMON_SYM_DEBUG_FILE_H */
