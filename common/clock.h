/* SPDX-License-Identifier: ISC */
/* CLOCK_MONOTONIC in ns, ms and seconds.  Any thread. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t
clock_monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static inline int64_t
clock_msecs(void)
{
	return clock_monotonic() / 1000000;
}

static inline int64_t
clock_secs(void)
{
	return clock_monotonic() / 1000000000;
}

#endif /* COMMON_CLOCK_H */
