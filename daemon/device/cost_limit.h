/* SPDX-License-Identifier: ISC */
/*
 * Cost limits of the devices: measures run times of BPF programs in windows,
 * and decides when a limit is exceeded.  The kernel counts run times only on
 * request, since that costs two clock reads per run; so they are counted in 1 %
 * of the time.
 */
#ifndef DAEMON_DEVICE_COST_LIMIT_H
#define DAEMON_DEVICE_COST_LIMIT_H

#define COST_LIMIT_ALL 1000000 /* unit of limits and shares: all CPUs' time */

/*
 * A limit is exceeded if the last window was above it, and one of the two
 * windows before as well.  A single burst is tolerated; sustained cost is
 * stopped in the second or third window.  A bit per window, 1: above the limit;
 * bit 0 is the last one.
 */
#define COST_LIMIT_NEXT(past, above) (((past) << 1 | (above)) & 7)
#define COST_LIMIT_DUE(past)	     (((past)&1) && (past) != 1)

/*
 * Measures a window of 10 ms: look() is called at its beginning and end.
 * Sleeps, so it is not for the control thread.  On error the kernel does not
 * count, and look() is not called.
 */
int cost_limit_measure(void (*look)(void *arg, int isend), void *arg);

/*
 * Logs that the cost of these programs cannot be measured; a private daemon
 * leaves that to its client.
 */
void cost_limit_unmeasured(const char *whose, int error);

#endif /* DAEMON_DEVICE_COST_LIMIT_H */
