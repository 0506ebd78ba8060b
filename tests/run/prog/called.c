/* SPDX-License-Identifier: ISC */
/*
 * called WHAT N: calls functions that tests probe, a known number of times, and
 * prints how often.  Static probes are notes as the header sys/sdt.h of
 * SystemTap makes them.
 */
#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/errmsg.h"

#if __has_attribute(noclone)
#define CALLED __attribute__((noinline, noclone, used, visibility("default")))
#else
#define CALLED __attribute__((noinline, used, visibility("default")))
#endif

static int ncalls; /* by one thread at a time */

int called_add(int a, long b, const char *text);
unsigned char called_byte(unsigned char a);
double called_mixed(double x, int a, float y, short b);
int called_deep(int n);
void called_jump(jmp_buf to, int n);
void called_left(jmp_buf to, int n);
void called_right(jmp_buf to, int n);
void called_mark(int n, const char *text);
long
called_many(int a, int b, int c, int d, int e, int f, short g, long h, char i);
int called_eight(int a, int b, int c, int d, int e, int f, const char *text,
    unsigned long address);
int called_most(int a, int b, int c, int d, int e, int f, int g, int h, int i,
    int j, char k, short l, long m);
int called_leaf(int n);
int called_inner(int n);
int called_tail(int n);
int called_outer(int n);
void called_ten(int n, short m);
const char *called_name(int n);

/* Before a number in a note. */
#if defined(__x86_64__)
#define CONSTANT "$"
#else
#define CONSTANT ""
#endif

/* The counter of users of the static probe called:mark. */
__attribute__((section(".probes"),
    used)) volatile unsigned short called_mark_semaphore;

/* A static probe with two arguments. */
#define MARK(name, semaphore, a, b) \
	__asm__ volatile("990:	nop\n" \
			 "	.pushsection .note.stapsdt,\"\",\"note\"\n" \
			 "	.balign 4\n" \
			 "	.4byte 992f-991f, 994f-993f, 3\n" \
			 "991:	.asciz \"stapsdt\"\n" \
			 "992:	.balign 4\n" \
			 "993:	.8byte 990b, called_base, " semaphore "\n" \
			 "	.asciz \"called\", \"" name "\"\n" \
			 "	.asciz \"-4@%0 8@%1\"\n" \
			 "994:	.balign 4\n" \
			 "	.popsection\n" \
			 : \
			 : "nor"(a), "nor"(b))

/* The linker may move it: the address of a note is relative to this one. */
__asm__(".pushsection .stapsdt.base,\"a\",\"progbits\"\n"
	"called_base: .space 1\n"
	".popsection\n");

/*
 * The kernel refuses its first instruction, which it cannot decode or which
 * fails when it is single-stepped; nothing calls it.
 */
#if defined(__x86_64__)
#define UNDECODED ".byte 0x66, 0x0f, 0x38, 0x18, 0xc0\n"
#else
#define UNDECODED "ldxr x1, [x0]\n"
#endif
__asm__(".text\n"
	".globl called_undecoded\n"
	".type called_undecoded, %function\n"
	"called_undecoded:\n" UNDECODED "	ret\n"
	".size called_undecoded, . - called_undecoded\n");

#if defined(__x86_64__)
/* The kernel's uprobes refuse its first instruction. */
__asm__(".text\n"
	".globl called_locked\n"
	".type called_locked, @function\n"
	"called_locked: lock; incl (%rdi)\n"
	"	ret\n"
	".size called_locked, . - called_locked\n");
#endif

CALLED int
called_add(int a, long b, const char *text)
{
	ncalls++;
	return a + (int)b + (text[0] == 'x');
}

CALLED unsigned char
called_byte(unsigned char a)
{
	return a + 1;
}

CALLED double
called_mixed(double x, int a, float y, short b)
{
	return x + a + y + b;
}

CALLED int
called_deep(int n)
{
	volatile int below = n == 0 ? 0 : called_deep(n - 1);

	return below + 1;
}

CALLED void
called_jump(jmp_buf to, int n)
{
	longjmp(to, n + 1);
}

/*
 * Their frames are equal, so both calls have their return address at the same
 * place on the stack.
 */
CALLED void
called_left(jmp_buf to, int n)
{
	called_jump(to, n);
	__asm__ volatile("" : : : "memory");
}

CALLED void
called_right(jmp_buf to, int n)
{
	(void)to;
	(void)called_byte(n);
	__asm__ volatile("" : : : "memory");
}

CALLED const char *
called_name(int n)
{
	return n % 2 == 0 ? "even" : "odd";
}

CALLED long
called_many(int a, int b, int c, int d, int e, int f, short g, long h, char i)
{
	return a + b + c + d + e + f + g + h + i;
}

/* More arguments than an event can have. */
CALLED int
called_most(int a, int b, int c, int d, int e, int f, int g, int h, int i,
    int j, char k, short l, long m)
{
	return a + b + c + d + e + f + g + h + i + j + k + l + (int)m;
}

CALLED int
called_eight(int a, int b, int c, int d, int e, int f, const char *text,
    unsigned long address)
{
	return a + b + c + d + e + f + text[0] + *(const char *)address;
}

/*
 * Compiled with frame pointers, except the leaf; called_tail() ends with a jump.
 */
CALLED int
called_leaf(int n)
{
	MARK("leaf", "0", n, n);
	return n + 1;
}

CALLED int
called_inner(int n)
{
	volatile int below = called_leaf(n);

	return below + 1;
}

CALLED int
called_tail(int n)
{
	return called_inner(n + 1);
}

CALLED int
called_outer(int n)
{
	volatile int below = called_tail(n);

	return below + 1;
}

/* A static probe with ten arguments, some of them constants. */
CALLED void
called_ten(int n, short m)
{
	__asm__ volatile("990:	nop\n"
			 "	.pushsection .note.stapsdt,\"\",\"note\"\n"
			 "	.balign 4\n"
			 "	.4byte 992f-991f, 994f-993f, 3\n"
			 "991:	.asciz \"stapsdt\"\n"
			 "992:	.balign 4\n"
			 "993:	.8byte 990b, called_base, 0\n"
			 "	.asciz \"called\", \"ten\"\n"
			 "	.asciz \"-4@%0 1@" CONSTANT "1 2@" CONSTANT
			 "2 4@" CONSTANT "3 8@" CONSTANT "4 -1@" CONSTANT
			 "5 -4@" CONSTANT "6 8@" CONSTANT "7 -8@" CONSTANT
			 "-8 -2@%1\"\n"
			 "994:	.balign 4\n"
			 "	.popsection\n"
			 :
			 : "r"(n), "r"(m));
}

CALLED void
called_mark(int n, const char *text)
{
	MARK("mark", "called_mark_semaphore", n, text);
	MARK("plain", "0", n, text);
}

static void
what_calls(int n)
{
	int i;

	for (i = 0; i < n; i++)
		(void)called_add(-i, 1000000000000L, "some text");
}

static void
what_types(int n)
{
	int i;

	for (i = 0; i < n; i++) {
		(void)called_byte(255);
		(void)called_mixed(1.5, -7, 2.5F, -3);
	}
}

static void
what_deep(int n)
{
	(void)called_deep(n);
}

static void
what_jumps(int n)
{
	jmp_buf to;
	volatile int i;

	for (i = 0; i < n; i++)
		if (setjmp(to) == 0)
			called_jump(to, i);
}

static void
what_sides(int n)
{
	jmp_buf to;
	volatile int i;

	for (i = 0; i < n; i++) {
		if (setjmp(to) == 0)
			called_left(to, i);
		called_right(to, i);
	}
}

static void *
thread_run(void *arg)
{
	int i, n = *(int *)arg;

	for (i = 0; i < n; i++)
		(void)called_byte(i);
	return NULL;
}

#define NTHREADS 4

static void
what_threads(int n)
{
	pthread_t threads[NTHREADS];
	int i;

	for (i = 0; i < NTHREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_run, &n) != 0)
			errx(1, "pthread_create");
	for (i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
}

static void
what_fork(int n)
{
	pid_t pid = fork();
	int status;

	what_calls(n);
	if (pid == 0)
		_exit(0);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "the child failed");
}

static void
what_marks(int n)
{
	int i;

	for (i = 0; i < n; i++)
		called_mark(-i, "a mark");
	printf("semaphore %u\n", called_mark_semaphore);
}

static void
what_many(int n)
{
	const char *text;
	int i;

	for (i = 0; i < n; i++) {
		ncalls += called_many(1, 2, 3, 4, 5, 6, -7, 8L << 40, 9 + i);
		text = i % 3 == 0 ? "third" : "other";
		ncalls += called_eight(1, 2, 3, 4, 5, 6, text,
		    (unsigned long)text);
		called_ten(-i, -3);
		ncalls += called_most(1, 2, 3, 4, 5, 6, 7, 8, 9, -10, 11,
		    -12 - i, 13);
	}
}

static void
what_tails(int n)
{
	int i;

	for (i = 0; i < n; i++)
		ncalls += called_outer(i);
}

static void
what_names(int n)
{
	int i;

	for (i = 0; i < n; i++)
		ncalls += called_name(i)[0];
}

/* Makes the calls for each line of input. */
static void
what_lines(int n)
{
	int c;

	while ((c = getchar()) != EOF)
		if (c == '\n')
			what_calls(n);
}

/* Loads a library after the start. */
static void
what_dlopen(int n)
{
	void *lib = dlopen("libm.so.6", RTLD_NOW);
	double (*fn)(double);
	int i;

	if (lib == NULL ||
	    (fn = (double (*)(double))dlsym(lib, "cbrt")) == NULL)
		errx(1, "%s", dlerror());
	for (i = 0; i < n; i++)
		(void)fn(i);
}

static const struct {
	const char *name;
	void (*fn)(int);
} whats[] = { { "calls", what_calls }, { "types", what_types },
	{ "deep", what_deep }, { "jumps", what_jumps }, { "sides", what_sides },
	{ "threads", what_threads }, { "fork", what_fork },
	{ "marks", what_marks }, { "names", what_names }, { "many", what_many },
	{ "tails", what_tails }, { "lines", what_lines },
	{ "dlopen", what_dlopen } };

int
main(int argc, char **argv)
{
	size_t i;

	if (argc != 3)
		errx(2, "usage: called WHAT N");
	for (i = 0; i < sizeof(whats) / sizeof(whats[0]); i++)
		if (strcmp(whats[i].name, argv[1]) == 0)
			break;
	if (i == sizeof(whats) / sizeof(whats[0]))
		errx(2, "%s: unknown", argv[1]);
	whats[i].fn(atoi(argv[2]));
	return 0;
}
