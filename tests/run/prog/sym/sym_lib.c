/* SPDX-License-Identifier: ISC */
/*
 * The libraries of sym_dl: the same code at the same offsets, under the symbols
 * of LIB, which the Makefile defines.  Their build ids are equal, too, since ld
 * computes them from the loaded contents: a symbolizer that takes them for one
 * file is wrong.
 */
#include "tests/run/prog/sym/burn.h"

#define DEFINE(name) BURN_CHAIN(name)
#define TOP(name)    TOP_OF(name)
#define TOP_OF(name) name##_top
#define TELL(name)   BURN_TELL(name)

DEFINE(LIB)

void lib_work(long);

void
lib_work(long msecs)
{
	burn_for(TOP(LIB), msecs);
	TELL(LIB);
	burn_sink++;
}
