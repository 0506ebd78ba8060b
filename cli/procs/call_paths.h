/* SPDX-License-Identifier: ISC */
/*
 * Where in a call descriptors and paths stand, and which path an argument
 * means: relative to the working directory, or to another argument.
 */
#ifndef CLI_PROCS_CALL_PATHS_H
#define CLI_PROCS_CALL_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "cli/base/probe.h"
#include "cli/procs/procs.h"

#define CALL_PATHS_NODIR   0xff
#define CALL_PATHS_FDBYTES DT_REC_MAXPATH /* of a descriptor's path, with NUL */

/* Of the entry of a call; constant once made. */
struct call_paths {
	uint8_t cph_nfds;
	uint8_t cph_fds[DT_REC_NARGS]; /* arguments that are descriptors */
	uint8_t cph_npaths;
	uint8_t cph_paths[DT_REC_NARGS]; /* arguments that are paths */
	uint8_t cph_dirs[DT_REC_NARGS];	 /* of each: its folder's descriptor */
};

void call_paths_find(struct call_paths *, const struct probe *);
/* Whether this descriptor is the folder of a path, which counts instead. */
int call_paths_isfolder(const struct call_paths *, unsigned int argn);

/* What is known of one call: entry, return, or both. */
struct call_paths_call {
	struct procs *sc_procs;
	const struct dt_event *sc_entry; /* NULL: not known */
	const struct dt_event *sc_ret;	 /* NULL: not yet */
};

/* The text of an argument as the entry read it, or the return, where the entry
 * could not; NULL: neither has it. */
const struct dt_rec_string *
call_paths_string(const struct call_paths_call *, unsigned int argn);
/* The path that the event has for a descriptor, or the error instead: with
 * DT_STR_FILE; NULL: it has none. */
const struct dt_rec_string *
call_paths_file(const struct call_paths_call *, unsigned int argn);
/* Returns the path of the descriptor in argument argn: from the event, copied
 * to buf (CALL_PATHS_FDBYTES), or from the table of processes.  NULL: unknown.
 */
const char *
call_paths_fd(const struct call_paths_call *, unsigned int argn, char *buf);
/* Whether the record has all of it. */
int call_paths_iswhole(const struct dt_rec_string *);

/*
 * The absolute path of argument argn, relative to the descriptor in argument
 * dir (CALL_PATHS_NODIR: to the working directory).  A path that was cut when
 * it was recorded is cut here.  Returns its length in buf, 0: it is not known.
 */
size_t call_paths_path(const struct call_paths_call *, unsigned int argn,
    unsigned int dir, char *buf, size_t size);

/*
 * Enters the paths of the call's descriptors into the table, from its entry.
 * Those that the entry does not have are looked up in /proc now, close to the
 * time of the entry.
 */
void call_paths_touch(const struct call_paths *, struct procs *,
    const struct dt_event *);

#endif /* CLI_PROCS_CALL_PATHS_H */
