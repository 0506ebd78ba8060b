/* SPDX-License-Identifier: ISC */
/* Visits the symbols of a file, or its functions, in all of its symbol tables. */
#ifndef SYMBOLIZER_FUNCTION_WALK_H
#define SYMBOLIZER_FUNCTION_WALK_H

#include "symbolizer/object_file.h"

/* A symbol of a function in the code of the file, not of a part of one. */
struct function_symbol {
	uint64_t fs_addr;
	uint64_t fs_size; /* 0: unknown */
	const char
	    *fs_name; /* in the table; it ends within SYMNAME_MAX bytes */
	uint8_t fs_isifunc;
	uint8_t fs_islocal;
	uint8_t fs_isweak;
};

typedef int function_visit(void *arg, const struct function_symbol *);

/* A defined symbol of a table of ef; the name ends within SYMNAME_MAX bytes. */
typedef int symbol_visit(void *arg, const struct elffile *ef, const GElf_Sym *,
    const char *name);

/*
 * Visit the tables of the file itself, and unless isenough returns non-zero
 * then, the tables of its debug file or MiniDebugInfo.  Return what a visit returns
 * that is not 0.
 */
int symbol_walk(struct object_file *, symbol_visit *,
    int (*isenough)(void *arg), void *arg);
int function_walk(struct object_file *, function_visit *,
    int (*isenough)(void *arg), void *arg);

/* The code that Go's compiler made, if any. */
struct go_code {
	uint64_t goc_from;
	uint64_t goc_to; /* 0: none */
};
void function_walk_go(struct object_file *, struct go_code *);

#endif /* SYMBOLIZER_FUNCTION_WALK_H */
