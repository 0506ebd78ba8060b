/* SPDX-License-Identifier: ISC */
/*
 * Stacks that samples had, and the functions that they were in; for profile,
 * and for report of a recording.
 */
#ifndef CLI_PROFILE_PROFILE_H
#define CLI_PROFILE_PROFILE_H

#include <libdt.h>

#include "cli/base/hash.h"
#include "cli/result/profile.h"
#include "cli/sym/frames.h"

#define PROFILE_TOP 10 /* functions and stacks that are shown */

struct profile {
	struct names *pf_names;
	int pf_withidle;       /* idle CPUs count like others */
	int pf_isexact;	       /* processes and places are told apart */
	struct hash pf_raw;    /* stacks as they came, not yet named */
	uint64_t pf_since;     /* time of the first of them, ns */
	struct hash pf_stacks; /* stacks of frames */
	struct frames pf_frames;
	struct out_profile pf_out; /* what is counted */
	struct hash pf_whys;	   /* why stacks are not complete */
};

/* Between them, profile_event() and profile_name(). */
void profile_begin(struct profile *, struct names *, int isexact, int withidle);
void profile_event(struct profile *, const struct dt_event *);
/*
 * Names what has come, as its processes may soon be forgotten.  now:
 * CLOCK_MONOTONIC, ns.  Does nothing before it is due; returns when it will be,
 * 0: nothing waits.
 */
uint64_t profile_name(struct profile *, uint64_t now);
/* What was found, until profile_end(), which forgets all.  top: 0 is
 * PROFILE_TOP. */
const struct out_profile *profile_result(struct profile *, unsigned int top);
void profile_end(struct profile *);

#endif /* CLI_PROFILE_PROFILE_H */
