/* SPDX-License-Identifier: ISC */
/*
 * What descriptors of traced processes mean, and their working directories: as
 * /proc told at the start (or a recording, which has that), and followed by
 * the calls that were traced since.
 */
#ifndef CLI_PROCS_H
#define CLI_PROCS_H

#include <stdint.h>

struct procs;

/* The path of a descriptor, or of the working directory (AT_FDCWD); NULL: not
 * known.  Others' text, not escaped; lives until the next event. */
const char *procs_fd(struct procs *, uint32_t pid, int fd);

#endif /* CLI_PROCS_H */
