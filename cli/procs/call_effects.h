/* SPDX-License-Identifier: ISC */
/* Effects of calls on descriptors, directories and processes, for procs.h. */
#ifndef CLI_PROCS_CALL_EFFECTS_H
#define CLI_PROCS_CALL_EFFECTS_H

#include <stdint.h>

#include <libdt.h>

#include "cli/procs/procs.h"

enum call_effects_kind {
	EFFECTS_OTHER,
	EFFECTS_FORK, /* returns in a second process, too */
	EFFECTS_EXEC, /* ends all other threads, and takes the main thread's
		       * tid */
	EFFECTS_EXIT, /* does not return */
	EFFECTS_EXITALL,
	EFFECTS_JUMP, /* returns without a return that the kernel reports */
};

struct call_effects;

/* Returns the effects of a call of this name; NULL: none. */
const struct call_effects *call_effects_find(const struct dtioc_probe_info *);
enum call_effects_kind call_effects_kind(const struct call_effects *);
/*
 * Applies them to a call that has returned, unless it has failed.  entry NULL:
 * unknown.  A fork has effects in the parent and in the child, where the entry
 * is the parent's.
 */
void call_effects_do(struct procs *, const struct call_effects *,
    const struct dt_event *entry, const struct dt_event *ret);
/*
 * Returns what stays true once known (PROCS_TRUST*), because all calls that
 * change it are recorded; isrecorded() returns whether entry and return of a
 * call are.
 */
unsigned int
call_effects_trust(int (*isrecorded)(void *, const char *func), void *);

#endif /* CLI_PROCS_CALL_EFFECTS_H */
