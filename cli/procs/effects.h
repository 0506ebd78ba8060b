/* SPDX-License-Identifier: ISC */
/* Effects of calls on descriptors, directories and processes, for procs.h. */
#ifndef CLI_PROCS_EFFECTS_H
#define CLI_PROCS_EFFECTS_H

#include <stdint.h>

#include <libdt.h>

#include "cli/procs/procs.h"

enum effects_kind {
	EFFECTS_OTHER,
	EFFECTS_FORK, /* returns in a second process, too */
	EFFECTS_EXEC, /* ends all other threads, and takes the main thread's
		       * tid */
	EFFECTS_EXIT, /* does not return */
	EFFECTS_EXITALL,
	EFFECTS_JUMP, /* returns without a return that the kernel reports */
};

struct effects;

/* A call that has returned.  ec_entry is NULL if unknown. */
struct effects_call {
	const struct effects *ec_follow;
	const struct dt_event *ec_entry;
	const struct dt_event *ec_ret;
};

/* Returns the effects of a call of this name; NULL: none. */
const struct effects *effects_find(const struct dtioc_probe_info *);
enum effects_kind effects_kind(const struct effects *);
/*
 * Applies them, unless the call has failed.  A fork has effects in the parent
 * and in the child, where ec_entry is the parent's.
 */
void effects_do(struct procs *, const struct effects_call *);
/*
 * Returns what stays true once known (PROCS_TRUST*), because all calls that
 * change it are recorded; isrecorded() returns whether entry and return of a
 * call are.
 */
unsigned int effects_trust(int (*isrecorded)(void *, const char *func), void *);

#endif /* CLI_PROCS_EFFECTS_H */
