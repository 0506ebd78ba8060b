/* SPDX-License-Identifier: ISC */
/* Root directories of processes, in an inspector. */
#ifndef DAEMON_INSPECT_INSPECT_ROOT_H
#define DAEMON_INSPECT_INSPECT_ROOT_H

#include "daemon/inspect/root_dir.h"

struct inspect_call;

/*
 * Which root directory a process has, and if fd is not NULL, an O_PATH
 * descriptor of it (-1: it is our own).
 */
int inspect_root(uint32_t pid, struct root_dir_id *, int *fd);
/* Our own, which is dtd's. */
const struct root_dir_id *inspect_root_own(void);
/* Opens a name in a root directory (O_CLOEXEC is added), without links and
 * without a way out: a descriptor, or a negative errno. */
int inspect_root_open(int rootfd, const char *path, int flags);
/*
 * Reads a file, by its O_PATH descriptor, for a symbolizer: see inspect_find.c.
 */
int
inspect_send(struct inspect_call *, int pathfd, int channel, uint64_t serial);

#endif /* DAEMON_INSPECT_INSPECT_ROOT_H */
