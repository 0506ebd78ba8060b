/* SPDX-License-Identifier: ISC */
/*
 * share [MS [DEPTH [truth]]]: a load for profiles.  outer() calls two() and
 * one() alternately until it has used MS (100) milliseconds of CPU time; two()
 * has twice the rounds of one(), and both inline their loop.  With DEPTH
 * outer() first calls itself DEPTH times.  The length of a round varies: a
 * clock whose period is a multiple of it would hit the same function at each
 * tick.
 *
 * With truth it prints to stderr how long they took, for sym_check.
 *
 * It has frame pointers, no library, and its own _start, from which every stack
 * begins, so its stacks are complete.
 */
#include "tests/run/prog/clockcall.h"

#define SHARE_ROUND 100000UL /* rounds of one(), on average */

#ifdef __x86_64__
__asm__(".text\n.globl _start\n.type _start, @function\n_start:\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call share_start\n"
	"	ud2\n.size _start, . - _start\n");
#else
__asm__(".text\n.globl _start\n.type _start, %function\n_start:\n"
	"	mov x29, #0\n"
	"	mov x30, #0\n"
	"	mov x0, sp\n"
	"	bl share_start\n"
	"	brk #1\n.size _start, . - _start\n");
#endif

void share_start(char **) __attribute__((noreturn, used));
void one(unsigned long n);
void two(unsigned long n);
void outer(long depth);

static uint64_t share_clock; /* at the last mark */
static uint64_t share_one, share_two, share_outer, share_rest;

/* Adds the CPU time since the last mark to *nsecs. */
CLOCKCALL_INLINE void
share_mark(uint64_t *nsecs)
{
	uint64_t now = clockcall_thread();

	*nsecs += now - share_clock;
	share_clock = now;
}

/*
 * A compiler may omit the frame of a function without calls, whatever its
 * options, unless the function uses its frame address.
 */
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
	share_mark(&share_one);
}

__attribute__((noinline)) void
two(unsigned long n)
{
	spin(2 * n);
	share_mark(&share_two);
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
		share_mark(&share_outer);
		two(n);
		one(n);
	}
	__asm__ volatile(
	    ""); /* a call as the last statement would become a jump */
}

static long
share_ms(void)
{
	struct timespec ts;

	clockcall(__NR_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&ts, 0);
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

static char *
share_text(char *at, const char *text)
{
	while (*text != '\0')
		*at++ = *text++;
	return at;
}

static char *
share_digits(char *at, uint64_t n)
{
	if (n >= 10)
		at = share_digits(at, n / 10);
	*at++ = '0' + n % 10;
	return at;
}

static void
share_tell(const char *name, uint64_t self, uint64_t total)
{
	char line[80], *at = share_text(line, "truth ");

	at = share_text(share_text(at, name), " ");
	at = share_text(share_digits(at, self), " ");
	at = share_text(share_digits(at, total), "\n");
	clockcall(__NR_write, 2, (long)line, at - line);
}

/* sp: argc, then argv */
void
share_start(char **sp)
{
	long end = share_ms() + (sp[2] ? share_number(sp[2]) : 100);
	long depth = sp[2] && sp[3] ? share_number(sp[3]) : 0;

	while (share_ms() < end) {
		share_mark(&share_rest);
		outer(depth);
	}
	if (sp[2] && sp[3] && sp[4]) {
		share_tell("one", share_one, share_one);
		share_tell("two", share_two, share_two);
		share_tell("outer", share_outer,
		    share_outer + share_one + share_two);
	}
	for (;;)
		clockcall(__NR_exit_group, 0, 0, 0);
}
