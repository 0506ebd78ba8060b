/* SPDX-License-Identifier: ISC */
/*
 * Built with debug information: inline_leaf and inline_middle are inlined into
 * inline_top, so only --lines shows them.  The lines that use the time are
 * marked.
 */
#include "tests/run/prog/sym/burn.h"

#define INLINE static inline __attribute__((always_inline)) void

static struct burn_times inline_times;

/* No call of burn_spin, which would add an inlined frame. */
#define SPIN(units) \
	for (unsigned int i = 0; i < (units)*burn_unit; i++) \
	burn_sink++

INLINE
inline_leaf(void)
{
	SPIN(70); /* leaf */
	burn_mark(&inline_times.bt_leaf);
}

INLINE
inline_middle(void)
{
	SPIN(20); /* middle */
	burn_mark(&inline_times.bt_middle);
	inline_leaf(); /* call leaf */
}

static BURN_APART void
inline_top(void)
{
	BURN_FRAME();
	SPIN(10); /* top */
	burn_mark(&inline_times.bt_top);
	inline_middle(); /* call middle */
}

int
main(int argc, char **argv)
{
	burn_for(inline_top, burn_arg(argc, argv));
	BURN_TELL(inline);
	return 0;
}
