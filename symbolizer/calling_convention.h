/* SPDX-License-Identifier: ISC */
/*
 * Finds where arguments are when a function is entered, by the calling
 * convention of the machine: System V on x86-64, AAPCS64 on arm64.
 */
#ifndef SYMBOLIZER_CALLING_CONVENTION_H
#define SYMBOLIZER_CALLING_CONVENTION_H

#include "symbolizer/probe_sink.h"
#include "symbolizer/types.h"

/* Registers and memory of the arguments so far. */
struct convention {
	unsigned int cnv_machine;
	unsigned int cnv_nints;	  /* registers */
	unsigned int cnv_nfloats; /* the same of floating point numbers */
	uint64_t cnv_stack;	  /* bytes */
};

/* Returns 0 for a machine whose convention is not known. */
int convention_begin(struct convention *, unsigned int machine);
/* Sets the place of the return value; call before the arguments. */
void convention_return(struct convention *, const struct type_info *,
    struct found_arg *);
/* Sets the place of the next argument, or why it cannot be read. */
void convention_next(struct convention *, const struct type_info *,
    struct found_arg *);

#endif /* SYMBOLIZER_CALLING_CONVENTION_H */
