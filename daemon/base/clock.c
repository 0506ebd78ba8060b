/* SPDX-License-Identifier: ISC */
/* Reads CLOCK_MONOTONIC and its offset from CLOCK_REALTIME. */
#include <time.h>

#include "daemon/base/clock.h"

#define CLOCK_TRIES 8

static int64_t
clock_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

int64_t
clock_monotonic(void)
{
	return clock_now(CLOCK_MONOTONIC);
}

/*
 * Reads the real time between two readings of the monotonic clock.  The try
 * with the smallest gap is used, in which the thread was not preempted.
 */
int64_t
clock_offset(void)
{
	int64_t before, real, after, off = 0, gap = INT64_MAX;
	int i;

	for (i = 0; i < CLOCK_TRIES; i++) {
		before = clock_now(CLOCK_MONOTONIC);
		real = clock_now(CLOCK_REALTIME);
		after = clock_now(CLOCK_MONOTONIC);
		if (after - before >= gap)
			continue;
		gap = after - before;
		off = real - before - gap / 2;
	}
	return off;
}
