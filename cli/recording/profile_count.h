/* SPDX-License-Identifier: ISC */
/*
 * Counts the stacks of a profile in the kernel: the first hit of each stack is an
 * event, and a row has the number of the others and the sum of their values.
 */
#ifndef CLI_RECORDING_PROFILE_COUNT_H
#define CLI_RECORDING_PROFILE_COUNT_H

#include "cli/profile/profile.h"
#include "cli/session/session.h"
#include "cli/stat/kernel_rows.h"

struct keys;

struct profile_count {
	struct kernel_rows pct_rows;
	struct session *pct_session;
	struct profile *pct_profile;
	int pct_hasvalue; /* the weight is a value, not the number of hits */
};

/*
 * Requests that the kernel counts the session's probes.  keys: process, name and
 * what decides on the kind of a wait; their sum is the weight.  Returns 0, or -1
 * with the reason: then some hits, or all, stay events.
 */
int profile_count_start(struct profile_count *, struct session *,
    struct profile *, struct keys *, char *why, size_t nwhy);
/* Keeps the stacks of an event that has a key.  ph: of this event. */
void profile_count_event(struct profile_count *, const struct dt_event *,
    const struct profile_hits *);
/*
 * Adds the rows up to now if they are due, or all at the end.  The first returns
 * the next due time.
 */
uint64_t profile_count_idle(struct profile_count *, uint64_t now);
void profile_count_end(struct profile_count *, uint64_t now);
void profile_count_free(struct profile_count *);

#endif /* CLI_RECORDING_PROFILE_COUNT_H */
