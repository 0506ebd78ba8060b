/* SPDX-License-Identifier: ISC */
/*
 * The libraries of sym_dl: the same code at the same offsets, by the names of
 * LIB, which the Makefile gives.  Their build ids are the same, too, since ld
 * makes them of what is loaded: who takes them for one file is wrong.
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
