/* SPDX-License-Identifier: ISC */
/* Reads the numbers and strings of DWARF, and no byte beyond their end. */
#include <string.h>

#include "symbolizer/cursor.h"

uint64_t
cursor_uint(struct cursor *cu, unsigned int nbytes)
{
	const uint8_t *p = cursor_skip(cu, nbytes);
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; !cu->cu_isbad && i < nbytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

/* Reads a LEB128 number; *shift is the shift after its last byte. */
static uint64_t
cursor_leb(struct cursor *cu, unsigned int *shift, uint8_t *last)
{
	uint64_t v = 0;

	*shift = 0;
	do {
		*last = cursor_uint(cu, 1);
		if (*shift < 64)
			v |= (uint64_t)(*last & 0x7f) << *shift;
		*shift += 7;
	} while (*last & 0x80);
	return v;
}

uint64_t
cursor_uleb(struct cursor *cu)
{
	unsigned int shift;
	uint8_t last;

	return cursor_leb(cu, &shift, &last);
}

int64_t
cursor_sleb(struct cursor *cu)
{
	unsigned int shift;
	uint8_t last;
	uint64_t v = cursor_leb(cu, &shift, &last);

	if (shift < 64 && (last & 0x40))
		v |= UINT64_MAX << shift;
	return v;
}

const char *
cursor_string(struct cursor *cu)
{
	const uint8_t *s = cu->cu_at;
	const uint8_t *end = memchr(s, '\0', cu->cu_end - s);

	if (end == NULL) {
		cu->cu_isbad = 1;
		return "";
	}
	cu->cu_at = end + 1;
	return (const char *)s;
}

const uint8_t *
cursor_skip(struct cursor *cu, uint64_t n)
{
	const uint8_t *p = cu->cu_at;

	if (n > (uint64_t)(cu->cu_end - p)) {
		cu->cu_isbad = 1;
		cu->cu_at = cu->cu_end;
		return p;
	}
	cu->cu_at += n;
	return p;
}
