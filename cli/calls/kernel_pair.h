/* SPDX-License-Identifier: ISC */
/*
 * The event of a pair of probes (DTIOCSPAIR) has two hits in it.
 */
#ifndef CLI_CALLS_KERNEL_PAIR_H
#define CLI_CALLS_KERNEL_PAIR_H

#include <libdt.h>

#include "cli/sym/names.h"

struct kernel_pair {
	struct dt_rec kpr_rec;
	struct dt_event kpr_first;  /* points to kpr_rec and into the event */
	struct dt_event kpr_second; /* the event without what is the first's */
	/* their strings */
	uint64_t kpr_strings[2][DT_REC_STRBYTES / 8 + 1];
};

/*
 * Takes an event apart.  The first: when it came, its arguments, what these
 * pointed to, and its thread; that is the second's if the event has no
 * dt_first().
 * Returns 0 if the event is none of a pair.  Lives as long as the event.
 */
int kernel_pair_split(struct kernel_pair *, const struct dt_event *);

/* Whether the two are entry and return of one call, which reads as one. */
int kernel_pair_iscall(const struct probe *first, const struct probe *second);

#endif /* CLI_CALLS_KERNEL_PAIR_H */
