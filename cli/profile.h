/* SPDX-License-Identifier: ISC */
/*
 * Stacks that samples had, and the functions that they were in; for profile,
 * and for report of a recording.
 */
#ifndef CLI_PROFILE_H
#define CLI_PROFILE_H

#include <libdt.h>

#include "map.h"
#include "out.h"

#define PROFILE_TOP 10 /* functions and stacks that are shown */

/* All zeros but pf_names is an empty one. */
struct profile {
	struct names *pf_names;
	int pf_withidle;      /* idle CPUs count like others */
	struct map pf_raw;    /* stacks as they came */
	struct map pf_stacks; /* stacks of functions */
	struct map pf_funcs;  /* innermost functions */
	uint64_t pf_total;
	uint64_t pf_idle;
};

void profile_event(struct profile *, const struct dt_event *);
/* Prints it and begins anew.  top: 0 is PROFILE_TOP. */
void profile_print(struct profile *, struct out *, unsigned int top);

#endif /* CLI_PROFILE_H */
