/* SPDX-License-Identifier: ISC */
/*
 * Finding the file that was mapped: an inspector does (inspect_find.h), and here
 * is for which processes its answer holds.
 */
#ifndef DAEMON_PROCS_FILE_OPEN_H
#define DAEMON_PROCS_FILE_OPEN_H

#include "daemon/procs/mapped_file.h"

struct symopen {
	int op_fd;	  /* O_PATH */
	int64_t op_btime; /* ns; 0: the file system does not report it */
	/*
	 * Processes of this root only (counted), and if op_pid is not 0, this
	 * one; NULL: all that have it mapped.
	 */
	struct symroot *op_root;
	uint32_t op_pid;
	uid_t op_uid;  /* whose fault it is if reading hangs; -1 */
	int op_isours; /* its debug files are in our own root, else in op_root */
};

/* An errno of inspect_find_ask(); EMFILE: too many root directories. */
int symopen_find(const struct symfile *, const struct symsight *,
    unsigned int msecs, struct symopen *);

#endif /* DAEMON_PROCS_FILE_OPEN_H */
