/* SPDX-License-Identifier: ISC */
/*
 * What calls do to descriptors, directories and processes, for procs.h.
 */
#ifndef CLI_PROCS_EFFECTS_H
#define CLI_PROCS_EFFECTS_H

#include <stdint.h>

#include <libdt.h>

#include "cli/procs/procs.h"

enum follow_kind {
	FOLLOW_OTHER,
	FOLLOW_FORK, /* returns in a second process, too */
	FOLLOW_EXEC, /* ends all other threads, and takes the first's number */
	FOLLOW_EXIT, /* does not return */
	FOLLOW_EXITALL,
	FOLLOW_JUMP, /* returns to where the kernel sees no return of it */
};

struct follow;

/* A call that has returned.  fc_entry is NULL if that is not known. */
struct follow_call {
	const struct follow *fc_follow;
	const struct dt_event *fc_entry;
	const struct dt_event *fc_ret;
};

/* What has to be done for a call of this name; NULL: nothing. */
const struct follow *follow_find(const char *prov, const char *func);
enum follow_kind follow_kind(const struct follow *);
/* Does it, unless the call has failed.  Of a fork, in its parent; in the child
 * fc_entry is that of the parent. */
void follow_do(struct procs *, const struct follow_call *);
/* What stays true once it is known (PROCS_TRUST*), as all calls that change it
 * are recorded; isrecorded() reports whether entry and return of a call are. */
unsigned int follow_trust(int (*isrecorded)(void *, const char *func), void *);

#endif /* CLI_PROCS_EFFECTS_H */
