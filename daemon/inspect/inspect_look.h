/* SPDX-License-Identifier: ISC */
/*
 * INSPECT_LOOK: what /proc says about processes, one after another: user,
 * numbers in pid namespaces, root directory, executable mappings.
 */
#ifndef DAEMON_INSPECT_INSPECT_LOOK_H
#define DAEMON_INSPECT_INSPECT_LOOK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/inspect/root_dir.h"

#define LOOK_PIDS  32 /* processes in a request */
#define LOOK_LEVEL 32 /* depth of pid namespaces; the kernel's own bound */

struct look_request {
	uint64_t
	    lq_maxtext; /* bytes of /proc/PID/maps; more is EFBIG; 0: none */
	uint32_t lq_npids;
	uint32_t lq_pids[LOOK_PIDS];
};

/* The number of a process in a pid namespace. */
struct symnum {
	uint32_t nu_pid;
	uint32_t nu_nsinum;
};

/*
 * A piece of the answer.  Lines of /proc/PID/maps follow, whole ones with their
 * newlines; a process with many has several pieces, which differ in lk_islast,
 * lk_error and lk_done only.  Of several processes, those that have ended have
 * no piece.
 */
struct look_piece {
	uint32_t lk_pid;
	int32_t lk_error; /* in the last one; not 0: forget what came before */
	uint32_t lk_islast;
	uid_t lk_uid;
	uint64_t lk_begun, lk_done; /* CLOCK_MONOTONIC, around the reading */
	struct root_dir_id lk_root; /* all 0: unknown */
	uint32_t lk_nnums;
	struct symnum lk_nums[LOOK_LEVEL]; /* the innermost last */
};

/*
 * Requests it in dtd: calls fn for each piece.  Of one process, the root
 * directory comes too (O_PATH; unchanged if it is unknown or dtd's own).  msecs
 * are for each process.  The errno of inspect(); each process has its own.
 */
int inspect_look_ask(struct look_request *, unsigned int msecs, int *rootfd,
    void (*fn)(void *arg, const struct look_piece *, const char *text,
	size_t len),
    void *arg);

#endif /* DAEMON_INSPECT_INSPECT_LOOK_H */
