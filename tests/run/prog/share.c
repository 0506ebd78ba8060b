/* SPDX-License-Identifier: ISC */
/*
 * share MS: a load for profiles, which is known: two() takes twice the time of
 * one(), both called by outer(), in turns until it has had MS milliseconds of a
 * CPU; what they do is inlined.  share MS DEPTH: outer() calls itself so often before.
 * How long a turn takes varies: a clock whose period is a multiple of it would
 * find the same function at each tick.
 *
 * It has frame pointers, no library, and a _start of its own, from which every
 * stack begins: so its stacks are complete.
 */
#include <sys/syscall.h>

#include <time.h>

#define SHARE_ROUND 100000UL /* of one(), on average */

#ifdef __x86_64__
__asm__(".text\n.globl _start\n.type _start, @function\n_start:\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call share_start\n"
	"	ud2\n.size _start, . - _start\n");

static long
share_call(long number, long a, long b)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b)
			 : "rcx", "r11", "memory");
	return ret;
}
#else
__asm__(".text\n.globl _start\n.type _start, %function\n_start:\n"
	"	mov x29, #0\n"
	"	mov x30, #0\n"
	"	mov x0, sp\n"
	"	bl share_start\n"
	"	brk #1\n.size _start, . - _start\n");

static long
share_call(long number, long a, long b)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
	return x0;
}
#endif

void share_start(char **) __attribute__((noreturn, used));
void one(unsigned long n);
void two(unsigned long n);
void outer(long depth);

/* A compiler may leave the frame of a function out that calls none, whatever it
 * was told; not of one that asks for it. */
static inline __attribute__((always_inline)) void
spin(unsigned long n)
{
	void *volatile frame = __builtin_frame_address(0);

	(void)frame;
	for (; n > 0; n--)
		__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void
one(unsigned long n)
{
	spin(n);
}

__attribute__((noinline)) void
two(unsigned long n)
{
	spin(2 * n);
}

__attribute__((noinline)) void
outer(long depth)
{
	static unsigned long seed;
	unsigned long n;

	if (depth > 0)
		outer(depth - 1);
	else {
		seed = seed * 6364136223846793005UL + 1;
		n = SHARE_ROUND / 2 + (seed >> 32) % SHARE_ROUND;
		two(n);
		one(n);
	}
	__asm__ volatile(
	    ""); /* no call is the last thing: it would be a jump */
}

static long
share_ms(void)
{
	struct timespec ts;

	share_call(__NR_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static long
share_number(const char *s)
{
	long n = 0;

	while (*s >= '0' && *s <= '9')
		n = n * 10 + *s++ - '0';
	return n;
}

/* sp: argc, then argv */
void
share_start(char **sp)
{
	long end = share_ms() + (sp[2] ? share_number(sp[2]) : 100);
	long depth = sp[2] && sp[3] ? share_number(sp[3]) : 0;

	while (share_ms() < end)
		outer(depth);
	for (;;)
		share_call(__NR_exit_group, 0, 0);
}
