/* SPDX-License-Identifier: ISC */
/*
 * Paths as text: joined and made short without asking the file system, so
 * symbolic links are not followed.
 */
#ifndef CLI_PROCS_PATH_H
#define CLI_PROCS_PATH_H

#include <stddef.h>

#define PATH_JOINED 8192 /* of a folder and a name, each of PATH_MAX */

/*
 * Writes the absolute path of a name (n bytes, without NUL) that is meant
 * relative to dir, if it is relative: no "//", ".", "..", and no slash at its
 * end.  Returns its length, 0 if there is none: dir is NULL or no folder, or
 * it does not fit.
 */
size_t
path_join(char *to, size_t size, const char *dir, const char *name, size_t n);

#endif /* CLI_PROCS_PATH_H */
