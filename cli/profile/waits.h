/* SPDX-License-Identifier: ISC */
/*
 * Waits of threads: pairs of sched_switch in a thread that leaves its CPU, and
 * a hit in the same thread when it runs again.
 */
#ifndef CLI_PROFILE_WAITS_H
#define CLI_PROFILE_WAITS_H

#include "cli/profile/profile.h"

#define WAITS_FROM "tracepoint:sched:sched_switch"
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

/* Returns the kind of a wait that began with this value of prev_state. */
enum profile_wait waits_kind(uint64_t state);
/* Sets the unit of the profile to PROFILE_WAITS. */
void waits_begin(struct waits *, struct name_cache *, struct profile *);
/* Adds a wait.  Returns 0, or -1 for another event. */
int waits_event(struct waits *, struct profile *, const struct dt_event *);

#endif /* CLI_PROFILE_WAITS_H */
