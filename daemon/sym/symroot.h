/* SPDX-License-Identifier: ISC */
/*
 * Root directories of processes: where the names begin that they know.  One
 * for each (mount namespace, root), shared and counted.  Any thread.
 */
#ifndef DAEMON_SYM_SYMROOT_H
#define DAEMON_SYM_SYMROOT_H

#include <stdint.h>

struct symroot;

/* That of a process that lives, counted; NULL: it has gone, or there are too
 * many.  May wait for the file system. */
struct symroot *symroot_of(uint32_t pid);
/* Our own. */
struct symroot *symroot_own(void);
struct symroot *symroot_get(struct symroot *); /* NULL is fine */
void symroot_put(struct symroot *);	       /* NULL is fine */
/* O_PATH. */
int symroot_fd(const struct symroot *);
int symroot_isown(const struct symroot *);
/* Opens a name in there with these flags (O_CLOEXEC is added), without links
 * and without a way out: a descriptor, or a negative errno. */
int symroot_open(const struct symroot *, const char *path, int flags);

#endif /* DAEMON_SYM_SYMROOT_H */
