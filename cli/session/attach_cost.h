/* SPDX-License-Identifier: ISC */
/*
 * Many functions of the kernel at once: what that costs is told before it is
 * done, and while it is done, how long it has taken.
 */
#ifndef CLI_SESSION_ATTACH_COST_H
#define CLI_SESSION_ATTACH_COST_H

#include <libdt.h>

#define ATTACH_COST_FUNCS \
	1000		    /* more than so many have to be asked for twice */
#define ATTACH_COST_HIT 500 /* ns that an event costs the program, about */

/* Functions among n probes of a look-up. */
size_t attach_cost_count(const struct dtioc_probe_info *, size_t n);
/* Prints what so many would cost, and ends dt. */
void attach_cost_refuse(struct dt *, const char *pattern, size_t nfuncs)
    __attribute__((noreturn));
/* From start to stop a line on a terminal tells that they are being attached,
 * in a thread of its own. */
void attach_cost_start(struct dt *, size_t nfuncs);
void attach_cost_stop(void);
/* The same where it is known how long it takes. */
void attach_cost_watch(size_t nfuncs, double secs);
/* "40 s", "10 minutes" */
const char *attach_cost_span(double secs, char *buf, size_t size);

#endif /* CLI_SESSION_ATTACH_COST_H */
