/* SPDX-License-Identifier: ISC */
/*
 * INSPECT_PROC: reads /proc of processes, one after another: user, pids in
 * namespaces, root directory, executable mappings.
 */
#ifndef DAEMON_INSPECT_INSPECT_PROC_H
#define DAEMON_INSPECT_INSPECT_PROC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/inspect/root_dir.h"

#define INSPECT_PROC_PIDS 32 /* processes in a request */
#define INSPECT_PROC_LEVEL \
	32 /* maximum depth of pid namespaces, the kernel's limit */

struct inspect_proc_request {
	uint64_t
	    lq_maxtext; /* maximum bytes of /proc/PID/maps, else EFBIG; 0: do
			 * not read it */
	uint32_t lq_npids;
	uint32_t lq_pids[INSPECT_PROC_PIDS];
};

/* The pid of a process in a pid namespace. */
struct symnum {
	uint32_t nu_pid;
	uint32_t nu_nsinum;
};

/*
 * A piece of the reply, followed by complete lines of /proc/PID/maps.  A
 * process with many lines has several pieces, which differ only in lk_islast,
 * lk_error and lk_done.  In a request for several processes, ended ones have no
 * piece.
 */
struct inspect_proc_piece {
	uint32_t lk_pid;
	int32_t lk_error; /* in the last piece; nonzero invalidates the earlier
			   * ones */
	uint32_t lk_islast;
	uid_t lk_uid;
	uint64_t lk_begun, lk_done; /* CLOCK_MONOTONIC, before and after
				     * reading */
	struct root_dir_id lk_root; /* all 0: unknown */
	uint32_t lk_nnums;
	struct symnum lk_nums[INSPECT_PROC_LEVEL]; /* innermost last */
};

/*
 * Sends the request from dtd and calls fn for each piece.  For a single
 * process, also returns its root directory (O_PATH; unchanged if it is unknown
 * or dtd's own).  msecs is the limit per process.  Returns the errno of
 * inspect(); each process has its own.
 */
int inspect_proc_request(struct inspect_proc_request *, unsigned int msecs,
    int *rootfd,
    void (*fn)(void *arg, const struct inspect_proc_piece *, const char *text,
	size_t len),
    void *arg);

#endif /* DAEMON_INSPECT_INSPECT_PROC_H */
