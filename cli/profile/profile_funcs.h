/* SPDX-License-Identifier: ISC */
/*
 * What a profile says as a whole: functions by the samples that were in them,
 * or in what they called; how many stacks are complete.
 */
#ifndef CLI_PROFILE_PROFILE_FUNCS_H
#define CLI_PROFILE_PROFILE_FUNCS_H

#include "cli/result/profile.h"

struct buf;

/* All functions of the stacks, those with the most samples first, for
 * free(3). */
struct out_func *
profile_funcs(const struct out_stack *, size_t nstacks, size_t *nfuncs);

/* "93 % of 1,234 user stacks complete by frame pointers; 80: no frame pointer";
 * nothing, if there were no user stacks. */
void profile_completeness(struct buf *, const struct out_profile *);

#endif /* CLI_PROFILE_PROFILE_FUNCS_H */
