/* SPDX-License-Identifier: ISC */
/*
 * Waits until each CPU was seen without a program that counts itself.  A program
 * that enters later reads the table as the caller has left it.
 */
#include <time.h>

#include "daemon/base/clock.h"
#include "daemon/dt/dt_drain.h"
#include "daemon/dt/dt_maps.h"

#define DRAIN_NSECS 3000000 /* a busy program takes microseconds */
#define DRAIN_PAUSE 20000   /* ns between two looks */

int
dt_drain(void)
{
	const struct timespec pause = { .tv_nsec = DRAIN_PAUSE };
	int64_t end = clock_monotonic() + DRAIN_NSECS;
	unsigned int cpu;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (cpu = 0; cpu < dt_ncpu; cpu++)
		while (__atomic_load_n(&dt_maps.dtm_inside[cpu].din_n,
			   __ATOMIC_SEQ_CST) != 0) {
			if (clock_monotonic() > end)
				return 0;
			nanosleep(&pause, NULL);
		}
	return 1;
}
