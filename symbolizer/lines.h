/* SPDX-License-Identifier: ISC */
/* Finds source files, lines and inlined functions of addresses in DWARF. */
#ifndef SYMBOLIZER_LINES_H
#define SYMBOLIZER_LINES_H

#include <elfutils/libdw.h>

#include "symbolizer/debugfile.h"
#include "symbolizer/elffile.h"

#define LINES_DEPTH 64 /* functions inlined into each other */

struct lines;

/*
 * Functions at an address, innermost first.  Strings stay until the next call.
 */
struct lines_hit {
	size_t lh_n;			  /* 0: nothing is known */
	const char *lh_func[LINES_DEPTH]; /* NULL: unknown; may be mangled */
	/* NULL: unknown; may be relative to lh_dir */
	const char *lh_file[LINES_DEPTH];
	uint32_t lh_line[LINES_DEPTH];
	const char *lh_dir; /* directory of its compilation, NULL: unknown */
	uint64_t lh_start;  /* start of the outermost function */
	uint64_t lh_end;
};

/*
 * Opens the DWARF that ef contains about main.  ef stays the caller's.  ENOENT:
 * it has none; ENOMEM.
 */
int lines_open(const struct elffile *main, struct elffile *ef, debugfile_find *,
    struct lines **);
/* Call before the addresses of a request: limits the work for all of them
 * together.  Addresses beyond the limit have no lines. */
void lines_begin(struct lines *);
void lines_find(struct lines *, uint64_t addr, struct lines_hit *);
/*
 * Finds the function that begins at an address, and its unit; they stay until
 * the next call.  Returns 0 if there is none.
 */
int lines_function(struct lines *, uint64_t addr, Dwarf_Die *, Dwarf_Die *unit);
/*
 * Returns what contains the code at an address: the offset of the entry of a
 * function, or of a place where one is inlined; 0: unknown.
 */
uint64_t lines_scope(struct lines *, uint64_t addr);
/*
 * Visits the units, which stay until the visit returns; returns what it returns
 * that is not 0.  A visit counts its steps.  E2BIG: the limit is reached.
 */
int lines_units(struct lines *, int (*)(void *, Dwarf_Die *unit), void *);
int lines_work(struct lines *, uint64_t steps);
/*
 * Returns whether a shared file may become available, so that the file should
 * be opened again.
 */
int lines_islate(const struct lines *);
/* Releases memory that can be read again. */
void lines_trim(struct lines *);
void lines_close(struct lines *);

#endif /* SYMBOLIZER_LINES_H */
