/* SPDX-License-Identifier: ISC */
/*
 * Calls that never return, for an inspector: what tests/fault/hang.c, loaded
 * into a daemon by LD_PRELOAD, and the program that wants it share.  The file
 * that $DT_HANG names is mapped by both.
 */
#ifndef HANG_H
#define HANG_H

#include <stdint.h>

#define HANG_NSITES 256

/* A place in the program that makes such a call. */
struct hang_site {
	char hs_call[16];
	uint64_t hs_offset; /* in its text, of where the call returns to */
	uint32_t hs_ncalls;
};

struct hang {
	uint32_t ha_site; /* the one whose first call hangs, from 1; 0: none */
	uint32_t ha_hung; /* it does */
	uint32_t ha_lock;
	uint32_t ha_nsites;
	struct hang_site ha_sites[HANG_NSITES]; /* as they were first met */
	/* Calls of dtd itself about a process that is not its own. */
	uint32_t ha_nforeign;
	char ha_foreign[128]; /* the first one's path */
};

#endif /* HANG_H */
