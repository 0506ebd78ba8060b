/* SPDX-License-Identifier: ISC */
/*
 * sym_hooks
 *
 * Calls nanosleep(2) from hooks_leaf(), whose stack is known, for a minute, or
 * until there is a file named done.  It is built without frame pointers.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define APART  __attribute__((noinline, noclone))
#define DEPTH  10
#define NCALLS 30000

static volatile unsigned int sink;

static APART void
hooks_sleep(long nsecs)
{
	const struct timespec ts = { 0, nsecs };
	volatile char frame[200];

	frame[nsecs % 200] = 1;
	syscall(SYS_nanosleep, &ts, NULL);
	sink += frame[nsecs % 200];
}

static APART void
hooks_leaf(void)
{
	hooks_sleep(2000000);
	sink++; /* no tail call */
}

static APART void
hooks_deep(unsigned int n)
{
	if (n == 0)
		hooks_leaf();
	else
		hooks_deep(n - 1);
	sink++;
}

int
main(void)
{
	int i;

	for (i = 0; i < NCALLS && access("done", F_OK) == -1; i++)
		hooks_deep(DEPTH);
	return 0;
}
