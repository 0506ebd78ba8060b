/* SPDX-License-Identifier: ISC */
/* Files of user programs in patterns of probes. */
#ifndef LIB_USER_FILE_H
#define LIB_USER_FILE_H

#include <stddef.h>

struct dt;

/*
 * Returns whether a pattern is for probes in files: uprobe:FILE:FUNCTION or
 * usdt:FILE:PROVIDER:NAME.
 */
int dt_user_isfile(const char *pattern);

/*
 * Calls fn for each file that the pattern names, with the pattern that the
 * daemon understands once it has the file.  Returns -1 if there is no such file,
 * or as fn did.
 */
int dt_user_files(struct dt *, const char *pattern,
    int (*fn)(struct dt *, const char *pattern, void *), void *arg);

/*
 * user_path.c: finds the file that a name without a slash means: a program in
 * $PATH, or a library as the dynamic linker finds it.  Returns 0, or -1 and
 * errno.
 */
int dt_user_path(const char *name, char *path, size_t size);

#endif /* LIB_USER_FILE_H */
