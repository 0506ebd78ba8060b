/* SPDX-License-Identifier: ISC */
/*
 * The event of a pair of probes (DTIOCSPAIR) has two hits in it.
 */
#ifndef CLI_PAIRED_H
#define CLI_PAIRED_H

#include <libdt.h>

#include "names.h"

struct paired {
	struct dt_rec pd_rec;
	struct dt_event pd_first; /* points to pd_rec and into the event */
};

/*
 * Takes the first hit out of an event: when it came, its arguments, and what
 * the event says of its thread, which is the second's.  Returns 0 if the event
 * is none of a pair.  Lives as long as the event.
 */
int paired_first(struct paired *, const struct dt_event *);

/* Whether the two are entry and return of one call, which reads as one. */
int paired_iscall(const struct probe *first, const struct probe *second);

#endif /* CLI_PAIRED_H */
