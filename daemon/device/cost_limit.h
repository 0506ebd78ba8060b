/* SPDX-License-Identifier: ISC */
/*
 * When what a device takes of the machine is too much: if the last window was
 * above the limit, and one of the two before it was, too.  So a burst that
 * happens to meet a window stops nobody, and what goes on is stopped with the
 * second or third.
 */
#ifndef DAEMON_DEVICE_COST_LIMIT_H
#define DAEMON_DEVICE_COST_LIMIT_H

#define COST_LIMIT_ALL 1000000 /* limits and shares: the whole machine */

/* Windows: a bit each, 1: above; the last is bit 0. */
#define COST_LIMIT_NEXT(past, above) (((past) << 1 | (above)) & 7)
#define COST_LIMIT_DUE(past)	     (((past)&1) && (past) != 1)

#endif /* DAEMON_DEVICE_COST_LIMIT_H */
