/* SPDX-License-Identifier: ISC */
/*
 * What makes two mapped files the same: device, inode and name as the kernel
 * tells them, with generation where it does.  Pure.
 */
#ifndef DAEMON_PROCS_FILE_ID_H
#define DAEMON_PROCS_FILE_ID_H

#include "daemon/procs/mapped_file.h"

/* In the place of an inode: the vdso of 32-bit programs, which is another. */
#define SYMKEY_VDSO32 1

/* An identity, as files are compared. */
struct file_id {
	struct symid sk_id;
	uint64_t sk_hash;
	enum symfile_kind sk_kind;
	int sk_deleted;
};

/* Its text is that of the identity. */
void symkey_make(struct file_id *, const struct symid *, int is32);
/* Whether it is that file; what is not told may be anything. */
int symkey_is(const struct symfile *, const struct file_id *);

#endif /* DAEMON_PROCS_FILE_ID_H */
