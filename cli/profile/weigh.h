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
	struct keys *wgh_keys; /* of a stack; their sum is the weight */
	struct name_cache *wgh_names;
};

/*
 * Sets the unit of the profile.  sum: a name as in keys_alloc(), which is not
 * copied; NULL: hits.  Returns 0, or -1 with a message.
 */
int weigh_begin(struct weigh *, struct profile *, struct name_cache *,
    const char *sum, char *why, size_t nwhy);
/*
 * Stores the weight of a hit.  Returns 0, or -1 if the hit has no such value, or
 * a negative one.
 */
int weigh_hit(struct weigh *, const struct dt_event *, struct profile_hits *);
/* Sets phi_call, if the hit is of a call; the text lives as long as the cache. */
void
weigh_call(struct name_cache *, const struct dt_event *, struct profile_hits *);
/* Sets the unit of a sum of bytes, after the keys have learned all probes. */
void weigh_unit(const struct weigh *, struct profile *);
void weigh_end(struct weigh *);

#endif /* CLI_PROFILE_WEIGH_H */
