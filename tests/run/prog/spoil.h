/* SPDX-License-Identifier: ISC */
/* Numbers that look drawn, the same ones for the same seed, and payloads made
 * of them. */
#ifndef SPOIL_H
#define SPOIL_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "wire.h"

static uint64_t spoil_state;

static inline void
spoil_seed(uint64_t seed)
{
	spoil_state = seed * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t
draw(void)
{
	spoil_state ^= spoil_state << 13;
	spoil_state ^= spoil_state >> 7;
	spoil_state ^= spoil_state << 17;
	return spoil_state;
}

static inline uint32_t
below(uint32_t n)
{
	return draw() % n;
}

/* Small numbers mostly: what looks like a probe, a switch, a length. */
static inline void
fill(uint8_t *p, size_t n)
{
	uint32_t v;
	size_t i;

	memset(p, 0, n);
	for (i = 0; i + sizeof(v) <= n; i += sizeof(v)) {
		v = below(4) == 0 ? draw() : below(2) ? below(800) : below(2);
		memcpy(p + i, &v, sizeof(v));
	}
	if (n >= WIRE_MAXPATTERN && below(2)) /* of a lookup */
		snprintf((char *)p + 8, 16, "%s",
		    below(2) ? "syscall:*" : "*[!a-z]*?*");
}

#endif /* SPOIL_H */
