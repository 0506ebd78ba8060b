/* SPDX-License-Identifier: ISC */
/* An instrumented object that actor.c loads. */
#include <stdint.h>

static volatile uint32_t base = 0x1000000;
static volatile int sink;

void mark_object(void);

void
mark_object(void)
{
	sink += base + 0xb == base;
}
