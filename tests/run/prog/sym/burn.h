/* SPDX-License-Identifier: ISC */
/*
 * Programs whose stacks are known.  All are built with frame pointers and
 * without tail calls.  BURN_CHAIN(x) defines three functions, of which
 * x_top calls x_middle and that x_leaf, and that take 10, 20 and 70 percent of
 * the time themselves; burn_tell() prints that to stderr:
 *
 *	truth NAME SELF TOTAL
 *
 * in percent of the CPU time that the program takes in user mode.
 */
#ifndef PROG_SYM_BURN_H
#define PROG_SYM_BURN_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BURN_UNITS 300 /* rounds at least, and up to three times as many */

#define BURN_APART __attribute__((noinline, noclone))

static volatile unsigned int burn_sink;

/* Rounds of a unit; another number each time, so that it is by chance where a
 * tick of a steady clock falls. */
static unsigned int burn_unit = BURN_UNITS;

/* A function that calls none has a frame only if it looks at it, whatever the
 * compiler's flags are (gcc 12): then its caller is not on the stack. */
#define BURN_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))

/*
 * Where it is called is where the time goes.  Each round waits for the product
 * of the one before, which takes as long wherever code and data are placed; a
 * counter in memory may be several times slower at one place than at another.
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

#define BURN_CHAIN(name) \
	static BURN_APART void name##_leaf(void) \
	{ \
		burn_spin(70); \
	} \
	static BURN_APART void name##_middle(void) \
	{ \
		burn_spin(20); \
		name##_leaf(); \
		burn_sink++; \
	} \
	static BURN_APART void name##_top(void) \
	{ \
		burn_spin(10); \
		name##_middle(); \
		burn_sink++; \
	}

/* Milliseconds of CPU time that this process has taken. */
static inline long
burn_msecs(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Calls fn until so many more have gone. */
static inline __attribute__((always_inline)) void
burn_for(void (*fn)(void), long msecs)
{
	long end = burn_msecs() + msecs;

	while (burn_msecs() < end) {
		burn_unit = BURN_UNITS + rand() % (2 * BURN_UNITS);
		fn();
	}
}

static inline void
burn_tell(const char *name, int self, int total)
{
	fprintf(stderr, "truth %s %d %d\n", name, self, total);
}

#define BURN_TELL(name) \
	(burn_tell(#name "_top", 10, 100), burn_tell(#name "_middle", 20, 90), \
	    burn_tell(#name "_leaf", 70, 70))

static inline long
burn_arg(int argc, char **argv)
{
	return argc > 1 ? atol(argv[1]) : 300;
}

#endif /* PROG_SYM_BURN_H */
