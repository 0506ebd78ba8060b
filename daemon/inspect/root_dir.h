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
struct root_dir_id {
	uint64_t rdi_mntns;	   /* inode of the mount namespace */
	uint64_t rdi_dev, rdi_ino; /* of the directory */
};

static inline int
root_dir_id_same(const struct root_dir_id *a, const struct root_dir_id *b)
{
	return a->rdi_mntns == b->rdi_mntns && a->rdi_dev == b->rdi_dev &&
	    a->rdi_ino == b->rdi_ino;
}

struct root_dir;

/* The one of this identity, counted; NULL: none is known. */
struct root_dir *root_dir_find(const struct root_dir_id *);
/* The same; if none is known it becomes one, by the O_PATH descriptor, which is
 * taken over.  -1: it can only be a known one.  NULL: there are too many. */
struct root_dir *root_dir_enter(const struct root_dir_id *, int fd);
/* Our own, which is there always. */
struct root_dir *root_dir_own(void);
struct root_dir *root_dir_get(struct root_dir *); /* NULL is fine */
void root_dir_put(struct root_dir *);		  /* NULL is fine */
/* O_PATH. */
int root_dir_fd(const struct root_dir *);
const struct root_dir_id *root_dir_id(const struct root_dir *);
/* Never used again. */
uint64_t root_dir_serial(const struct root_dir *);
int root_dir_isown(const struct root_dir *);

#endif /* DAEMON_INSPECT_ROOT_DIR_H */
