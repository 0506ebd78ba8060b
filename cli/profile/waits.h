/* SPDX-License-Identifier: ISC */
/*
 * Waits of threads: pairs of sched_switch in a thread that leaves its CPU, and
 * a hit in the same thread when it runs again.
 */
#ifndef CLI_PROFILE_WAITS_H
#define CLI_PROFILE_WAITS_H

#include "cli/profile/profile.h"

#define WAITS_FROM "tracepoint:sched:sched_switch"
/* Its argument that has the kind of a wait, as a key (cli/stat/key.h). */
#define WAITS_KEY "args.prev_state"
/*
 * Condition of hits that begin a wait.  It excludes idle CPUs, and the last hit
 * of a thread that exits (EXIT_DEAD, EXIT_ZOMBIE).
 */
#define WAITS_IF \
	"from.tid != 0 && from.prev_state != 16 && from.prev_state != 32"

struct waits {
	struct name_cache *wts_names;
	uint32_t wts_first; /* probe that wts_argn belongs to */
	int wts_argn;	    /* index of prev_state; -1: it has none */
};

/* Sets the unit of the profile to PROFILE_WAITS. */
void waits_begin(struct waits *, struct name_cache *, struct profile *);
/* Stores the time and the kind of a wait.  Returns 0, or -1 for another event. */
int waits_weigh(struct waits *, const struct dt_event *, struct profile_hits *);

#endif /* CLI_PROFILE_WAITS_H */
