/* SPDX-License-Identifier: ISC */
/* A process of sym_many: one millisecond of work. */
#include "tests/run/prog/sym/burn.h"

BURN_CHAIN(tiny)

int
main(void)
{
	burn_for(tiny_top, 1);
	BURN_TELL(tiny);
	return 0;
}
