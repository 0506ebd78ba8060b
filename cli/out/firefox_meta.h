/* SPDX-License-Identifier: ISC */
/*
 * The description of a profile for the Firefox profiler, without its threads,
 * and what both have in common.
 */
#ifndef CLI_OUT_FIREFOX_META_H
#define CLI_OUT_FIREFOX_META_H

#include "cli/out/out.h"

/* Categories of frames and markers, by index. */
enum fox_category {
	FOX_OTHER,
	FOX_USER,
	FOX_KERNEL,
	FOX_JIT,
	FOX_INCOMPLETE,
	FOX_WAIT,
	FOX_CALL,
};

/*
 * Begins the object of a profile with its member "meta".  origin: the
 * CLOCK_MONOTONIC of the first event.
 */
void firefox_meta(struct buf *, const struct out *, const struct out_profile *,
    uint64_t origin);
/* Returns the time between two samples of a CPU, ns. */
uint64_t firefox_interval(const struct out_profile *);
/* Prints a time in ns as ms. */
void firefox_msecs(struct buf *, uint64_t nsecs);

#endif /* CLI_OUT_FIREFOX_META_H */
