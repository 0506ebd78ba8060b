/* SPDX-License-Identifier: ISC */
/* Measures the longest passes of threads. */
#include <stdatomic.h>
#include <time.h>

#include "daemon/base/clock.h"
#include "daemon/base/latency.h"

/* t: written and read by its thread; a: written by it, read by others. */
static struct {
	uint64_t start, cpustart; /* [t] start of the pass */
	uint64_t due; /* [t] end of a pass after which another is due */
	atomic_uint_fast64_t nsecs, cpunsecs, gap; /* [a] maxima */
} stalls[LATENCY_N];

static uint64_t
cpu_nsecs(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts) == -1)
		return 0;
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void
longest(atomic_uint_fast64_t *max, uint64_t nsecs)
{
	if (nsecs > atomic_load_explicit(max, memory_order_relaxed))
		atomic_store_explicit(max, nsecs, memory_order_relaxed);
}

void
latency_begin(enum latency_thread th)
{
	stalls[th].start = clock_monotonic();
	stalls[th].cpustart = cpu_nsecs();
	if (stalls[th].due != 0)
		longest(&stalls[th].gap, stalls[th].start - stalls[th].due);
}

void
latency_end(enum latency_thread th, int due)
{
	uint64_t now = clock_monotonic();

	longest(&stalls[th].nsecs, now - stalls[th].start);
	longest(&stalls[th].cpunsecs, cpu_nsecs() - stalls[th].cpustart);
	stalls[th].due = due ? now : 0;
}

void
latency_get(enum latency_thread th, struct latency_max *sm)
{
	sm->lx_nsecs = atomic_load(&stalls[th].nsecs);
	sm->lx_cpunsecs = atomic_load(&stalls[th].cpunsecs);
	sm->lx_gap = atomic_load(&stalls[th].gap);
}
