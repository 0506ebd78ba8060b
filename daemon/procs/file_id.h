/* SPDX-License-Identifier: ISC */
/*
 * What makes two mapped files the same: device, inode and name as the kernel
 * tells them, with generation where it does.  Pure.
 */
#ifndef DAEMON_PROCS_FILE_ID_H
#define DAEMON_PROCS_FILE_ID_H

#include "daemon/procs/mapped_file.h"

/* In the place of an inode: the vdso of 32-bit programs, which is another. */
#define FILE_ID_VDSO32 1

/* An identity, as files are compared. */
struct file_id {
	struct inode_id fid_id;
	uint64_t fid_hash;
	enum mapped_file_kind fid_kind;
	int fid_deleted;
};

/* Its text is that of the identity. */
void file_id_make(struct file_id *, const struct inode_id *, int is32);
/* Whether it is that file; what is not told may be anything. */
int file_id_is(const struct mapped_file *, const struct file_id *);

#endif /* DAEMON_PROCS_FILE_ID_H */
