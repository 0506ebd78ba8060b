/* SPDX-License-Identifier: ISC */
/*
 * Decides when a device exceeds its cost limit: if the last window was above
 * the limit, and one of the two before it was as well.  A single burst is
 * tolerated; sustained cost is stopped in the second or third window.
 */
#ifndef DAEMON_DEVICE_COST_LIMIT_H
#define DAEMON_DEVICE_COST_LIMIT_H

#define COST_LIMIT_ALL 1000000 /* unit of limits and shares: all CPUs' time */

/* A bit per window, 1: above the limit; bit 0 is the last one. */
#define COST_LIMIT_NEXT(past, above) (((past) << 1 | (above)) & 7)
#define COST_LIMIT_DUE(past)	     (((past)&1) && (past) != 1)

#endif /* DAEMON_DEVICE_COST_LIMIT_H */
