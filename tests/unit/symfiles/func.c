/* SPDX-License-Identifier: ISC */
/* Functions of all kinds, which test_symbolizer_*.c look up. */
#include <stdio.h>
#include <string.h>

typedef int fn(int);

fn versioned, strong, weak_alias, plain_alias, __under_alias, resolved;
fn outer, quiet_caller;
int table[64] = { 1 };

__attribute__((noinline)) static int
quiet(int x)
{
	return x * 7 + table[x & 63];
}

__attribute__((noinline)) int
quiet_caller(int x)
{
	return quiet(x) + 1;
}

__attribute__((noinline)) int
versioned(int x)
{
	return x * 3 + table[x & 31];
}

/* One address, three symbols. */
__attribute__((noinline)) int
strong(int x)
{
	return x ^ 0x55aa;
}
int weak_alias(int) __attribute__((weak, alias("strong")));

__attribute__((noinline)) int
plain_alias(int x)
{
	return x + 0x1234;
}
int __under_alias(int) __attribute__((alias("plain_alias")));

static int
one_way(int x)
{
	return x + 2;
}

static fn *
choose(void)
{
	return one_way;
}
int resolved(int) __attribute__((ifunc("choose")));

/* Two functions inlined into a third one; the test reads the lines. */
static inline __attribute__((always_inline)) int
innermost(volatile int *p)
{
	int y = *p;
	*p = y + 41; /* LINE innermost */
	return y;
}

static inline __attribute__((always_inline)) int
middle(volatile int *p)
{
	return innermost(p) + 5; /* LINE middle */
}

__attribute__((noinline)) int
outer(int x)
{
	volatile int v = x;

	return middle(&v) * 3; /* LINE outer */
}

int
main(int argc, char **argv)
{
	/* The address of a function of the library is that of its stub. */
	int (*volatile put)(const char *) = puts;

	put(argv[0]);
	if (strchr(argv[0], argc) != NULL)
		printf("%d\n", rename(argv[0], argv[0]));
	return quiet_caller(argc) + versioned(argc) + strong(argc) +
	    plain_alias(argc) + resolved(argc) + outer(argc);
}
