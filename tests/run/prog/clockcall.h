/* SPDX-License-Identifier: ISC */
/*
 * A system call made inline: no library function, which may lack a frame, is on
 * the stack during the call, so a sample taken in the call belongs to the
 * function that contains it.  Also the CPU time of a thread, read the same way.
 */
#ifndef CLOCKCALL_H
#define CLOCKCALL_H

#include <sys/syscall.h>

#include <stdint.h>
#include <time.h>

#define CLOCKCALL_INLINE static inline __attribute__((always_inline))

#ifdef __x86_64__
CLOCKCALL_INLINE long
clockcall(long number, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
}
#else
CLOCKCALL_INLINE long
clockcall(long number, long a, long b, long c)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2)
			 : "memory");
	return x0;
}
#endif

/* Returns the CPU time of the calling thread, in nanoseconds. */
CLOCKCALL_INLINE uint64_t
clockcall_thread(void)
{
	struct timespec ts;

	clockcall(__NR_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&ts, 0);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

#endif /* CLOCKCALL_H */
