/* SPDX-License-Identifier: ISC */
/*
 * Finds the local file that a recording names.  The recording is untrusted, so
 * its names never lead to files that could make a process hang, or that would
 * reveal to another machine that the recording is read.
 */
#ifndef CLI_SYM_LOCAL_FILE_H
#define CLI_SYM_LOCAL_FILE_H

#include <stddef.h>

#define LOCAL_FILE_WHY 80

/*
 * Writes the path to open for the file name, which is absolute.
 *
 * root NULL: the path is name itself, if each folder and link on the way is on
 * a local file system (or on that of "/") and, unless the caller is root,
 * belongs to the caller or to root.  Automounts are not triggered.
 *
 * Otherwise name is looked up in the folder root as if that were "/".
 *
 * Returns 0 or an errno.  EACCES: refused, and why (LOCAL_FILE_WHY bytes) is the
 * reason; in other cases it is empty.
 */
int local_file_path(const char *root, const char *name, char *path, size_t size,
    char *why);

#endif /* CLI_SYM_LOCAL_FILE_H */
