/* SPDX-License-Identifier: ISC */
/* Reads bytes of DWARF. */
#ifndef SYMBOLIZER_CURSOR_H
#define SYMBOLIZER_CURSOR_H

#include <stdint.h>

/* Bytes to read; reading beyond the end returns 0 and sets cu_isbad. */
struct cursor {
	const uint8_t *cu_at, *cu_end;
	int cu_isbad;
};

/* A little-endian number of 1 to 8 bytes. */
uint64_t cursor_uint(struct cursor *, unsigned int nbytes);
uint64_t cursor_uleb(struct cursor *);
int64_t cursor_sleb(struct cursor *);
const char *cursor_string(struct cursor *);
/* Skips n bytes, and returns their address. */
const uint8_t *cursor_skip(struct cursor *, uint64_t n);

#endif /* SYMBOLIZER_CURSOR_H */
