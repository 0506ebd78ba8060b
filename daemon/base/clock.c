/* SPDX-License-Identifier: ISC */
/* Reads the offset of CLOCK_MONOTONIC from CLOCK_REALTIME. */
#include "daemon/base/clock.h"

#define CLOCK_TRIES 8

/*
 * Reads the real time between two readings of the monotonic clock.  The try
 * with the smallest gap is used, in which the thread was not preempted.
 */
int64_t
clock_offset(void)
{
	int64_t before, real, after, off = 0, gap = INT64_MAX;
	struct timespec ts;
	int i;

	for (i = 0; i < CLOCK_TRIES; i++) {
		before = clock_monotonic();
		clock_gettime(CLOCK_REALTIME, &ts);
		real = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
		after = clock_monotonic();
		if (after - before >= gap)
			continue;
		gap = after - before;
		off = real - before - gap / 2;
	}
	return off;
}
