/* SPDX-License-Identifier: ISC */
/*
 * Root directories of processes.  One object per (mount namespace, root),
 * shared and reference-counted.  Only inspectors access the directories
 * (inspect_root.h). Any thread.
 */
#ifndef DAEMON_INSPECT_ROOT_DIR_H
#define DAEMON_INSPECT_ROOT_DIR_H

#include <stdint.h>

/* Identifies a root directory.  All 0: unknown. */
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

/*
 * Returns a reference to the root with this identity.  An unknown root is added
 * with the O_PATH descriptor, of which it takes ownership; -1: do not add.
 * NULL: not known, or too many.
 */
struct root_dir *root_dir_enter(const struct root_dir_id *, int fd);
/* Returns dtd's own root, which always exists. */
struct root_dir *root_dir_own(void);
struct root_dir *root_dir_get(struct root_dir *); /* NULL is fine */
void root_dir_put(struct root_dir *);		  /* NULL is fine */
/* Returns an O_PATH descriptor, which stays the root's. */
int root_dir_fd(const struct root_dir *);
const struct root_dir_id *root_dir_id(const struct root_dir *);
/* Returns a number that is never reused. */
uint64_t root_dir_serial(const struct root_dir *);
int root_dir_isown(const struct root_dir *);

#endif /* DAEMON_INSPECT_ROOT_DIR_H */
