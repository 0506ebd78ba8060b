/* SPDX-License-Identifier: ISC */
/*
 * Finds the functions that compilers link into each file without frame
 * information: _init and _fini of crti.o, and what calls destructors, of
 * crtbegin.o.  A page of code is often entered by _init, so samples of starting
 * programs are in it.
 */
#ifndef SYMBOLIZER_UNWIND_CRT_H
#define SYMBOLIZER_UNWIND_CRT_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/elffile.h"
#include "wire/unwind.h"

#define CRT_FUNCS 3
#define CRT_ROWS  4

struct crt_func {
	struct crt_row {
		uint64_t crr_addr; /* from which the rule applies */
		struct unwind_rule crr_rule;
	} cfn_rows[CRT_ROWS]; /* the last one is after the function */
};

/* Returns the number of functions found, at most CRT_FUNCS. */
size_t crt_find(const struct elffile *, struct crt_func *);

#endif /* SYMBOLIZER_UNWIND_CRT_H */
