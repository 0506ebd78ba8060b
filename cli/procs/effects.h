/* SPDX-License-Identifier: ISC */
/*
 * What calls do to descriptors, directories and processes, for procs.h.
 */
#ifndef CLI_PROCS_EFFECTS_H
#define CLI_PROCS_EFFECTS_H

#include <stdint.h>

#include <libdt.h>

#include "cli/procs/procs.h"

enum effects_kind {
	EFFECTS_OTHER,
	EFFECTS_FORK, /* returns in a second process, too */
	EFFECTS_EXEC, /* ends all other threads, and takes the first's number */
	EFFECTS_EXIT, /* does not return */
	EFFECTS_EXITALL,
	EFFECTS_JUMP, /* returns to where the kernel sees no return of it */
};

struct effects;

/* A call that has returned.  ec_entry is NULL if that is not known. */
struct effects_call {
	const struct effects *ec_follow;
	const struct dt_event *ec_entry;
	const struct dt_event *ec_ret;
};

/* What has to be done for a call of this name; NULL: nothing. */
const struct effects *effects_find(const char *prov, const char *func);
enum effects_kind effects_kind(const struct effects *);
/* Does it, unless the call has failed.  Of a fork, in its parent; in the child
 * ec_entry is that of the parent. */
void effects_do(struct procs *, const struct effects_call *);
/* What stays true once it is known (PROCS_TRUST*), as all calls that change it
 * are recorded; isrecorded() reports whether entry and return of a call are. */
unsigned int effects_trust(int (*isrecorded)(void *, const char *func), void *);

#endif /* CLI_PROCS_EFFECTS_H */
