/* SPDX-License-Identifier: ISC */
/*
 * Files of tracefs, in which the kernel describes its tracepoints.  If tracefs
 * is not mounted, it is mounted for this process only, in no namespace.
 */
#ifndef DAEMON_KERNEL_TRACEFS_H
#define DAEMON_KERNEL_TRACEFS_H

#include <stddef.h>

/*
 * Reads a whole file, by its path in tracefs, as a string for free(3).  Returns
 * 0 or the errno of the file; EACCES, EPERM, ENODEV: tracefs is unavailable.
 */
int tracefs_read(const char *path, char **textp, size_t *lenp);

/* Finds or mounts tracefs, before dtd drops the capability to mount. */
void tracefs_early(void);

#endif /* DAEMON_KERNEL_TRACEFS_H */
