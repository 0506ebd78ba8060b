/* SPDX-License-Identifier: ISC */
/* Splits the event of a pair of probes (DTIOCSPAIR) into its two hits. */
#ifndef CLI_CALLS_KERNEL_PAIR_H
#define CLI_CALLS_KERNEL_PAIR_H

#include <libdt.h>

#include "cli/sym/name_cache.h"

struct kernel_pair {
	struct dt_rec kpr_rec;
	struct dt_event kpr_first;  /* points to kpr_rec and into the event */
	struct dt_event kpr_second; /* the event without the parts of the
				     * first hit */
	/* strings of both hits */
	uint64_t kpr_strings[2][DT_REC_STRBYTES / 8 + 1];
};

/*
 * Splits the event of a pair, which is one with ev_duration.  The first hit has
 * its own time, arguments, memory and thread; its thread is the second's if the
 * event has no dt_first().  The result is valid as long as the event.
 */
void kernel_pair_split(struct kernel_pair *, const struct dt_event *);

/*
 * Returns whether the two are entry and return of one call, which print as one.
 */
int kernel_pair_iscall(const struct probe *first, const struct probe *second);

#endif /* CLI_CALLS_KERNEL_PAIR_H */
