/* SPDX-License-Identifier: ISC */
/* Finds the kind of a wait, and adds it to a profile. */
#include <string.h>

#include "cli/profile/waits.h"
#include "cli/sym/name_cache.h"

#define WAITS_STATE "prev_state"
/*
 * Bit of prev_state in a thread that was preempted in the kernel.  It may also
 * have been about to wait; it could run, as with state 0.
 */
#define WAITS_PREEMPTED 0x100

void
waits_begin(struct waits *wa, struct name_cache *nm, struct profile *pf)
{
	*wa = (struct waits){ .wts_names = nm, .wts_argn = -1 };
	profile_unit(pf, PROFILE_WAITS, NULL);
}

/* Returns the index of prev_state, or -1. */
static int
waits_argn(struct waits *wa, uint32_t first)
{
	const struct probe *pr;
	const struct dt_probe_desc *pd;
	unsigned int i;

	if (wa->wts_first == first && wa->wts_argn != -1)
		return wa->wts_argn;
	wa->wts_first = first;
	wa->wts_argn = -1;
	if ((pr = name_cache_probe(wa->wts_names, first)) == NULL)
		return -1;
	pd = &pr->pr_desc;
	for (i = 0; i < pd->pd_info.dtpi_nargs && i < DT_REC_NARGS; i++)
		if (strcmp(pd->pd_names[i].dtan_name, WAITS_STATE) == 0)
			wa->wts_argn = i;
	return wa->wts_argn;
}

int
waits_weigh(struct waits *wa, const struct dt_event *ev,
    struct profile_hits *ph)
{
	uint64_t state;
	int n;

	if (ev->ev_duration == NULL ||
	    (n = waits_argn(wa, ev->ev_first)) == -1 || ev->ev_args == NULL ||
	    (unsigned int)n >= ev->ev_nargs)
		return -1;
	state = ev->ev_args[n];
	*ph = (struct profile_hits){
		.phi_count = 1,
		.phi_weight = *ev->ev_duration,
		.phi_wait = state == 0 || state & WAITS_PREEMPTED
		    ? PROFILE_INVOLUNTARY
		    : PROFILE_VOLUNTARY,
	};
	return 0;
}
