/* SPDX-License-Identifier: ISC */
/*
 * Where in a call descriptors and paths stand, and which path an argument
 * means: relative to the working directory, or to another argument.
 */
#ifndef CLI_SHAPE_H
#define CLI_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

#include "names.h"
#include "procs.h"

#define SHAPE_NODIR 0xff

/* Of the entry of a call; constant once made. */
struct shape {
	uint8_t sh_nfds;
	uint8_t sh_fds[DT_REC_NARGS]; /* arguments that are descriptors */
	uint8_t sh_npaths;
	uint8_t sh_paths[DT_REC_NARGS]; /* arguments that are paths */
	uint8_t sh_dirs[DT_REC_NARGS];	/* of each: its folder's descriptor */
};

void shape_find(struct shape *, const struct probe *);
/* Whether this descriptor is the folder of a path, which counts instead. */
int shape_isfolder(const struct shape *, unsigned int argn);

/* What is known of one call: entry, return, or both. */
struct shape_call {
	struct procs *sc_procs;
	const struct dt_event *sc_entry; /* NULL: not known */
	const struct dt_event *sc_ret;	 /* NULL: not yet */
};

/* The text of an argument as the entry read it, or the return, where the entry
 * could not; NULL: neither has it. */
const struct dt_rec_string *
shape_string(const struct shape_call *, unsigned int argn);
/* Whether the record has all of it. */
int shape_iswhole(const struct dt_rec_string *);

/*
 * The absolute path of argument argn, relative to the descriptor in argument
 * dir (SHAPE_NODIR: to the working directory).  A path that was cut when it
 * was recorded is cut here.  Returns its length in buf, 0: it is not known.
 */
size_t shape_path(const struct shape_call *, unsigned int argn,
    unsigned int dir, char *buf, size_t size);

/* Asks for what descriptors of the call mean, so that it is known how they
 * were when it was entered. */
void shape_touch(const struct shape *, struct procs *, const struct dt_event *);

#endif /* CLI_SHAPE_H */
