/* SPDX-License-Identifier: ISC */
/* Code for clang's additional callbacks, and one comparison. */
#include <stdint.h>

static volatile uint32_t by4 = 3;
static volatile uint64_t by8 = 3;
static volatile int sink, where = 2;
static int list[9];

static void
called(void)
{
	sink++;
}

static void (*volatile indirect)(void) = called;

int
main(void)
{
	sink += (int)(7 / by4);
	sink += (int)(7 / by8);
	sink += list[where];
	sink += where == 2;
	indirect();
	return 0;
}
