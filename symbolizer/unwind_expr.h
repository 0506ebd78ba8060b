/* SPDX-License-Identifier: ISC */
/*
 * Turns the DWARF expressions that compilers and assemblers write into call
 * frame information into rules.
 */
#ifndef SYMBOLIZER_UNWIND_EXPR_H
#define SYMBOLIZER_UNWIND_EXPR_H

#include <stddef.h>
#include <stdint.h>

#include "wire/unwind.h"

/* Sets the rule's CFA: UNWIND_CFA_UNSUPPORTED for an unknown expression. */
void unwind_expr_cfa(const uint8_t *expr, size_t len, int issignal,
    struct unwind_rule *);
/* Sets the location of the saved frame pointer; fp is its register. */
void unwind_expr_fp(const uint8_t *expr, size_t len, uint8_t fp,
    struct unwind_rule *);

#endif /* SYMBOLIZER_UNWIND_EXPR_H */
