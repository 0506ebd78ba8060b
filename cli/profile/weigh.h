/* SPDX-License-Identifier: ISC */
/*
 * Weighs the stacks of hits: each hit by 1, by an argument or its returned
 * value, or by the duration of its pair.
 */
#ifndef CLI_PROFILE_WEIGH_H
#define CLI_PROFILE_WEIGH_H

#include "cli/profile/profile.h"

struct keys;

struct weigh {
	struct keys *wgh_keys; /* of which the sum is the weight; NULL: hits */
	struct profile *wgh_profile;
};

/*
 * Sets the unit of the profile.  sum: a name as in keys_alloc(), which is not
 * copied; NULL: hits.  Returns 0, or -1 with a message.
 */
int weigh_begin(struct weigh *, struct profile *, struct name_cache *,
    const char *sum, char *why, size_t nwhy);
/*
 * Adds a hit.  Hits that have no such value, or a negative one, are counted as
 * opr_novalue.
 */
void weigh_event(struct weigh *, const struct dt_event *);
void weigh_end(struct weigh *);

#endif /* CLI_PROFILE_WEIGH_H */
