/* SPDX-License-Identifier: ISC */
/* The two clocks, see clock.h. */
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
 * The real time is read between two looks at the other clock; of some tries
 * the one with the narrowest gap counts, in which nobody else had the CPU.
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
