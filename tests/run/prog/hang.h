/* SPDX-License-Identifier: ISC */
/*
 * Calls that never return, for an inspector: shared by tests/fault/hang.c,
 * which LD_PRELOAD loads into a daemon, and the program that controls it.  Both
 * map the file that $DT_HANG names.
 */
#ifndef HANG_H
#define HANG_H

#include <stdint.h>

#define HANG_NSITES 256

/* A call site in the program. */
struct hang_site {
	char hs_call[16];
	uint64_t hs_offset; /* of the return address, in its text */
	uint32_t hs_ncalls;
};

struct hang {
	uint32_t ha_site; /* site whose first call hangs, from 1; 0: none */
	uint32_t ha_hung; /* the call hangs */
	uint32_t ha_lock;
	uint32_t ha_nsites;
	struct hang_site ha_sites[HANG_NSITES]; /* ordered by first call */
	/* Calls of dtd itself about other processes. */
	uint32_t ha_nforeign;
	char ha_foreign[128]; /* path of the first */
};

#endif /* HANG_H */
