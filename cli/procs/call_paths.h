/* SPDX-License-Identifier: ISC */
/*
 * Finds the arguments of a call that are descriptors and paths, and the path
 * that an argument denotes: relative to the working directory or to another argument.
 */
#ifndef CLI_PROCS_CALL_PATHS_H
#define CLI_PROCS_CALL_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "cli/base/path.h"
#include "cli/base/probe.h"
#include "cli/procs/procs.h"

#define CALL_PATHS_NODIR   0xff
#define CALL_PATHS_FDBYTES DT_REC_MAXPATH /* path of a descriptor, with NUL */

/* The descriptors and paths of an entry; constant after its initialization. */
struct call_paths {
	/* arguments that are descriptors, but not the folder of a path */
	uint8_t cph_nfds;
	uint8_t cph_fds[DT_REC_NARGS];
	uint8_t cph_npaths;
	uint8_t cph_paths[DT_REC_NARGS]; /* arguments that are paths */
	uint8_t cph_dirs[DT_REC_NARGS];	 /* for each path: the descriptor of
					  * its folder */
};

void call_paths_find(struct call_paths *, const struct probe *);

/* One call: its entry, its return, or both. */
struct call_paths_call {
	struct procs *sc_procs;
	const struct dt_event *sc_entry; /* NULL: unknown */
	const struct dt_event *sc_ret;	 /* NULL: not returned */
};

/*
 * Returns the event's path of a descriptor, or its error, with DT_STR_FILE;
 * NULL: the event has none.
 */
const struct dt_rec_string *
call_paths_file(const struct call_paths_call *, unsigned int argn);
/* Returns the path of the descriptor in argument argn: from the event, copied
 * to buf (CALL_PATHS_FDBYTES), or from the table of processes.  NULL: unknown.
 */
const char *
call_paths_fd(const struct call_paths_call *, unsigned int argn, char *buf);

/*
 * Writes the absolute path of argument argn to buf (PATH_JOINED), relative to
 * the descriptor in argument dir (CALL_PATHS_NODIR: to the working directory).
 * Returns its length, 0: unknown.  A path that was cut in the record is cut
 * here, too; with iswhole, it is unknown.
 */
size_t call_paths_path(const struct call_paths_call *, unsigned int argn,
    unsigned int dir, char *buf, int iswhole);

/*
 * Adds the paths of the call's descriptors to the table, from its entry.  Paths
 * that the entry does not have are looked up in /proc now, close to the time of
 * the entry.
 */
void call_paths_touch(const struct call_paths *, struct procs *,
    const struct dt_event *);

#endif /* CLI_PROCS_CALL_PATHS_H */
