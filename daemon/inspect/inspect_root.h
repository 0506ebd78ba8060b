/* SPDX-License-Identifier: ISC */
/* Opens root directories of processes, in an inspector. */
#ifndef DAEMON_INSPECT_INSPECT_ROOT_H
#define DAEMON_INSPECT_INSPECT_ROOT_H

#include "daemon/inspect/root_dir.h"

struct inspect_call;

/*
 * Identifies the root directory of a process, and opens it with O_PATH if fd is
 * not NULL (-1: it is dtd's own).
 */
int inspect_root(uint32_t pid, struct root_dir_id *, int *fd);
/* Returns the inspector's own root, which is dtd's. */
const struct root_dir_id *inspect_root_own(void);
/*
 * Opens a name in a root directory (O_CLOEXEC is added), without following
 * links or leaving the root.  Returns a descriptor or a negative errno.
 */
int inspect_root_open(int rootfd, const char *path, int flags);
/* Opens a file by its O_PATH descriptor and sends it to a symbolizer. */
int
inspect_send(struct inspect_call *, int pathfd, int channel, uint64_t serial);

#endif /* DAEMON_INSPECT_INSPECT_ROOT_H */
