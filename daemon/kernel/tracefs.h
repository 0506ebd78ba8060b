/* SPDX-License-Identifier: ISC */
/*
 * Files of tracefs, where the kernel tells of its tracepoints.  If nobody has
 * mounted it, it is mounted for this process alone, and seen nowhere.
 */
#ifndef DAEMON_KERNEL_TRACEFS_H
#define DAEMON_KERNEL_TRACEFS_H

#include <stddef.h>

/*
 * The whole of a file, by its path in there, as a string for free(3).  Returns
 * 0 or errno: of the file; EACCES, EPERM, ENODEV: tracefs is not to be had.
 */
int tracefs_read(const char *path, char **textp, size_t *lenp);

/* Finds it, or mounts it, while there is the right to do so. */
void tracefs_early(void);

#endif /* DAEMON_KERNEL_TRACEFS_H */
