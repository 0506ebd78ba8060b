/* SPDX-License-Identifier: ISC */
/* Paths as text. */
#ifndef CLI_BASE_PATH_H
#define CLI_BASE_PATH_H

#include <stddef.h>

#define PATH_JOINED 8192 /* a folder and a name, each of PATH_MAX */

/*
 * Writes the absolute path of a name (n bytes, without NUL), which is relative
 * to dir unless absolute, without "//", ".", ".." and trailing slashes.  Does
 * not follow symbolic links.  Returns its length; 0 if dir is NULL or not a
 * folder, or if the path does not fit.
 */
size_t
path_join(char *to, size_t size, const char *dir, const char *name, size_t n);

#endif /* CLI_BASE_PATH_H */
