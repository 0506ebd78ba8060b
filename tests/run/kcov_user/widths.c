/* SPDX-License-Identifier: ISC */
/*
 * A comparison of each kind that the compilers instrument, and no other.
 * Prints the address of reached().
 */
#include <stdint.h>
#include <stdio.h>

static volatile int sink;
static volatile uint8_t v1 = 0x81;
static volatile uint16_t v2 = 0x8182;
static volatile uint32_t v4 = 0x81828384;
static volatile uint64_t v8 = 0x8182838485868788;
static volatile uint8_t w1 = 0x71;
static volatile uint16_t w2 = 0x7172;
static volatile uint32_t w4 = 0x71727374;
static volatile uint64_t w8 = 0x7172737475767778;
static volatile float f = 1;
static volatile double d = 1;

__attribute__((noinline)) void
reached(void)
{
	sink++;
}

static void
variables(void)
{
	sink += v1 == w1;
	sink += v2 == w2;
	sink += v4 == w4;
	sink += v8 == w8;
	sink += f < (float)w1;
	sink += d < (double)w1;
}

static void
constants(void)
{
	sink += v1 == 0x91;
	sink += v2 == 0x9192;
	sink += v4 == 0x91929394;
	sink += v8 == 0x9192939495969798;
	sink += f < 3;
	sink += d < 3;
}

static void
switches(void)
{
	switch (v1) {
	case 0xa1:
		reached();
		break;
	case 0xb7:
		sink += 2;
		break;
	case 0xc2:
		sink ^= 3;
		break;
	}
	switch (v8) {
	case 0xa1a2a3a4a5a6a7a8:
		reached();
		break;
	case 0xb1b2b3b4b5b6b7b8:
		sink -= 2;
		break;
	case 3:
		sink *= 3;
		break;
	case 77:
		sink ^= 9;
		break;
	}
}

int
main(void)
{
	reached();
	variables();
	constants();
	switches();
	printf("reached %lx\n", (unsigned long)(uintptr_t)reached);
	return 0;
}
