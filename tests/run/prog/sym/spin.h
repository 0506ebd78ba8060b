/* SPDX-License-Identifier: ISC */
/*
 * For programs whose stacks frames_check compares: SPIN(x) defines x_spin(),
 * which works in a leaf function.  Several threads may do so.
 */
#ifndef PROG_SYM_SPIN_H
#define PROG_SYM_SPIN_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned int sink;

/* The name in the code keeps the compiler from merging it with another one. */
#define SPIN(scene) \
	static APART __attribute__((used)) void scene##_spin(void) \
	{ \
		unsigned int i, x = 1; \
\
		for (i = 0; i < 200000; i++) { \
			x *= 7; \
			__asm__ volatile("# " #scene : "+r"(x)); \
		} \
		sink = x; \
	}

/* CPU time of the process, ms. */
static inline long
msecs_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

#endif /* PROG_SYM_SPIN_H */
