/* SPDX-License-Identifier: ISC */
/*
 * Reads bytes of DWARF, and turns the expressions that compilers and assemblers
 * write into call frame information into rules.
 */
#ifndef SYMBOLIZER_UNWIND_EXPR_H
#define SYMBOLIZER_UNWIND_EXPR_H

#include <stddef.h>
#include <stdint.h>

#include "wire/unwind.h"

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

/* Sets the rule's CFA: UNWIND_CFA_UNSUPPORTED for an unknown expression. */
void unwind_expr_cfa(const uint8_t *expr, size_t len, int issignal,
    struct unwind_rule *);
/* Sets the location of the saved frame pointer; fp is its register. */
void unwind_expr_fp(const uint8_t *expr, size_t len, uint8_t fp,
    struct unwind_rule *);

#endif /* SYMBOLIZER_UNWIND_EXPR_H */
