/* SPDX-License-Identifier: ISC */
/*
 * Compares mapped files by device, inode and name as the kernel reports them,
 * and by generation where it is reported. Does no I/O.
 */
#ifndef DAEMON_PROCS_FILE_ID_H
#define DAEMON_PROCS_FILE_ID_H

#include "daemon/procs/mapped_file.h"

/*
 * Replaces the inode number for the vdso of 32-bit programs, a separate file.
 */
#define FILE_ID_VDSO32 1

/* Identity of a file, in the form used for comparison. */
struct file_id {
	struct inode_id fid_id;
	uint64_t fid_hash;
	enum mapped_file_kind fid_kind;
	int fid_deleted;
};

/* The identity's text is not copied. */
void file_id_make(struct file_id *, const struct inode_id *, int is32);
/*
 * Returns whether the file has this identity; unreported parts match anything.
 */
int file_id_is(const struct mapped_file *, const struct file_id *);

#endif /* DAEMON_PROCS_FILE_ID_H */
