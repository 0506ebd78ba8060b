/* SPDX-License-Identifier: ISC */
/*
 * Compiled with -fsanitize-coverage=trace-pc,trace-cmp: calls a function N
 * times, and with a second argument another function.  Status: 7.
 */
#include <stdlib.h>

static volatile int sum;

static void __attribute__((noinline)) often(int n)
{
	sum += n;
}

static void __attribute__((noinline)) seldom(void)
{
	sum--;
}

static int __attribute__((noinline)) compared(int n)
{
	return n == 0x1234567;
}

int
main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 0;

	for (i = 0; i < n; i++)
		often(i);
	if (argc > 2)
		seldom();
	return compared(argc) ? 1 : 7;
}
