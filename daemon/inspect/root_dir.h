/* SPDX-License-Identifier: ISC */
/*
 * Root directories of processes: where the names begin that they know.  One
 * for each (mount namespace, root), shared and counted.  Only inspectors look
 * at them (inspect_root.h).  Any thread.
 */
#ifndef DAEMON_INSPECT_ROOT_DIR_H
#define DAEMON_INSPECT_ROOT_DIR_H

#include <stdint.h>

/* Which one it is.  All 0: unknown. */
struct symrootid {
	uint64_t ri_mntns;	 /* inode of the mount namespace */
	uint64_t ri_dev, ri_ino; /* of the directory */
};

static inline int
symrootid_same(const struct symrootid *a, const struct symrootid *b)
{
	return a->ri_mntns == b->ri_mntns && a->ri_dev == b->ri_dev &&
	    a->ri_ino == b->ri_ino;
}

struct symroot;

/* The one of this identity, counted; NULL: none is known. */
struct symroot *symroot_find(const struct symrootid *);
/* The same; if none is known it becomes one, by the O_PATH descriptor, which is
 * taken over.  -1: it can only be a known one.  NULL: there are too many. */
struct symroot *symroot_enter(const struct symrootid *, int fd);
/* Our own, which is there always. */
struct symroot *symroot_own(void);
struct symroot *symroot_get(struct symroot *); /* NULL is fine */
void symroot_put(struct symroot *);	       /* NULL is fine */
/* O_PATH. */
int symroot_fd(const struct symroot *);
const struct symrootid *symroot_id(const struct symroot *);
/* Never used again. */
uint64_t symroot_serial(const struct symroot *);
int symroot_isown(const struct symroot *);

#endif /* DAEMON_INSPECT_ROOT_DIR_H */
