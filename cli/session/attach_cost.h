/* SPDX-License-Identifier: ISC */
/*
 * Cost of enabling many kernel functions: refuses it unless forced, and prints
 * the progress and the time that it took.
 */
#ifndef CLI_SESSION_ATTACH_COST_H
#define CLI_SESSION_ATTACH_COST_H

#include <libdt.h>

#define ATTACH_COST_FUNCS 1000 /* most functions to enable without --force */
#define ATTACH_COST_HIT	  500  /* estimated ns per event */

/* Counts the kernel functions among n probes of a look-up. */
size_t attach_cost_count(const struct dtioc_probe_info *, size_t n);
/* Prints the cost of nfuncs functions, and exits. */
void attach_cost_refuse(struct dt *, const char *pattern, size_t nfuncs)
    __attribute__((noreturn));
/*
 * Between start and stop, a thread prints the progress of attaching on a
 * terminal.
 */
void attach_cost_start(struct dt *, size_t nfuncs);
void attach_cost_stop(void);
/* The same where the expected duration is known. */
void attach_cost_watch(size_t nfuncs, double secs);
/* Formats a duration: "40 s", "10 minutes" */
const char *attach_cost_span(double secs, char *buf, size_t size);

#endif /* CLI_SESSION_ATTACH_COST_H */
