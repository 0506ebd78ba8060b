/* SPDX-License-Identifier: ISC */
/*
 * Programs whose stacks are known.  All are built with frame pointers and
 * without tail calls.  BURN_CHAIN(x) defines three functions, of which x_top
 * calls x_middle and x_middle calls x_leaf.  Their loops have 10, 20 and 70
 * units, but the time of a loop depends on the CPU: each function reads the
 * clock of its thread when its loop ends, and BURN_TELL() prints the times to
 * stderr:
 *
 *	truth NAME SELF TOTAL
 *
 * in nanoseconds of CPU time.  Several lines of one name add up.
 *
 * A reading is a system call of the function, so the part of it that follows
 * the moment of reading is in the function's samples and in the next function's
 * time.  As every function ends with a reading, each has one such part in its
 * samples and one in its time, and they cancel out.
 */
#ifndef PROG_SYM_BURN_H
#define PROG_SYM_BURN_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/run/prog/clockcall.h"

#define BURN_UNITS 1000 /* minimum of rounds; at most three times as many */

#define BURN_APART __attribute__((noinline, noclone))

static volatile unsigned int burn_sink;

/*
 * Returns the rounds of a unit: a different number each time, so that ticks of
 * a steady clock fall at random positions.
 */
static unsigned int burn_unit = BURN_UNITS;

/*
 * A function without calls has a frame only if it uses its frame address,
 * whatever the compiler's flags (gcc 12); otherwise its caller is missing from
 * the stack.
 */
#define BURN_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))

/*
 * Inlined, so that the time belongs to the caller.  Each round waits for the
 * product of the previous one, which takes the same time wherever code and data
 * are placed.  A counter in memory may be several times slower at some
 * addresses.
 */
static inline __attribute__((always_inline)) void
burn_spin(unsigned int units)
{
	unsigned int i, x = 1;

	BURN_FRAME();
	for (i = 0; i < units * burn_unit; i++) {
		x *= 7;
		__asm__ volatile("" : "+r"(x));
	}
	burn_sink = x;
}

/* CPU time of the thread at the last mark. */
static uint64_t burn_clock;

/* CPU time in functions without a truth line. */
static uint64_t burn_outside;

/* Adds the CPU time since the last mark to *nsecs. */
static inline __attribute__((always_inline)) void
burn_mark(uint64_t *nsecs)
{
	uint64_t now = clockcall_thread();

	*nsecs += now - burn_clock;
	burn_clock = now;
}

/* CPU time of the functions of a chain, without their callees. */
struct burn_times {
	uint64_t bt_top, bt_middle, bt_leaf;
};

#define BURN_CHAIN(name) \
	static struct burn_times name##_times; \
	static BURN_APART void name##_leaf(void) \
	{ \
		burn_spin(70); \
		burn_mark(&name##_times.bt_leaf); \
	} \
	static BURN_APART void name##_middle(void) \
	{ \
		burn_spin(20); \
		burn_mark(&name##_times.bt_middle); \
		name##_leaf(); \
		burn_sink++; \
	} \
	static BURN_APART void name##_top(void) \
	{ \
		burn_spin(10); \
		burn_mark(&name##_times.bt_top); \
		name##_middle(); \
		burn_sink++; \
	}

/* Returns the CPU time of this process in milliseconds. */
static inline long
burn_msecs(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/*
 * Calls fn for msecs of CPU time, and at least msecs times: in a guest that is
 * often stopped by its host, the clock advances without work, and fn would have
 * too few samples.
 */
static inline __attribute__((always_inline)) void
burn_for(void (*fn)(void), long msecs)
{
	long end = burn_msecs() + msecs, calls = 0;

	while (burn_msecs() < end || calls < msecs) {
		burn_unit = BURN_UNITS + rand() % (2 * BURN_UNITS);
		burn_mark(&burn_outside);
		fn();
		calls++;
	}
}

static inline void
burn_tell(const char *name, const char *part, uint64_t self, uint64_t total)
{
	fprintf(stderr, "truth %s_%s %ju %ju\n", name, part, (uintmax_t)self,
	    (uintmax_t)total);
}

static inline void
burn_tell_chain(const char *name, const struct burn_times *bt)
{
	uint64_t below = bt->bt_middle + bt->bt_leaf;

	burn_tell(name, "top", bt->bt_top, bt->bt_top + below);
	burn_tell(name, "middle", bt->bt_middle, below);
	burn_tell(name, "leaf", bt->bt_leaf, bt->bt_leaf);
}

#define BURN_TELL(name) burn_tell_chain(#name, &name##_times)

static inline long
burn_arg(int argc, char **argv)
{
	return argc > 1 ? atol(argv[1]) : 300;
}

#endif /* PROG_SYM_BURN_H */
