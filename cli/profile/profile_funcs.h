/* SPDX-License-Identifier: ISC */
/*
 * Summary of a profile: functions by their own samples and those of their
 * callees; how many stacks are complete.
 */
#ifndef CLI_PROFILE_PROFILE_FUNCS_H
#define CLI_PROFILE_PROFILE_FUNCS_H

#include "cli/result/profile.h"

struct buf;

/*
 * Returns all functions of the stacks, by descending samples; the caller frees
 * them.
 */
struct out_func *
profile_funcs(const struct out_stack *, size_t nstacks, size_t *nfuncs);

/*
 * "93 % of 1,234 user stacks complete, by frame pointers; 80: no frame pointer";
 * nothing without user stacks.
 */
void profile_completeness(struct buf *, const struct out_profile *);

#endif /* CLI_PROFILE_PROFILE_FUNCS_H */
