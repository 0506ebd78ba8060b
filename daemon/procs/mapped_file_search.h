/* SPDX-License-Identifier: ISC */
/*
 * Finds a mapped file through an inspector (inspect_file.h) and determines for
 * which processes the result holds.
 */
#ifndef DAEMON_PROCS_MAPPED_FILE_SEARCH_H
#define DAEMON_PROCS_MAPPED_FILE_SEARCH_H

#include "daemon/procs/mapped_file.h"

struct opened_file {
	int of_fd;	  /* O_PATH */
	int64_t of_btime; /* ns; 0: the file system does not report it */
	/*
	 * Processes of this root only (counted), and if of_pid is not 0, this
	 * one; NULL: all processes that map it.
	 */
	struct root_dir *of_root;
	uint32_t of_pid;
	uid_t of_uid; /* user who is charged if reading hangs */
	/* debug files are in dtd's own root, else in of_root */
	int of_isours;
};

/* An errno of inspect_find_request(); EMFILE: too many root directories. */
int mapped_file_search(const struct mapped_file *, const struct sighting *,
    unsigned int msecs, struct opened_file *);

#endif /* DAEMON_PROCS_MAPPED_FILE_SEARCH_H */
