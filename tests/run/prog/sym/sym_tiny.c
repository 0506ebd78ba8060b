/* SPDX-License-Identifier: ISC */
/* What sym_many starts by the thousand: one millisecond of work. */
#include "tests/run/prog/sym/burn.h"

BURN_CHAIN(tiny)

int
main(void)
{
	burn_for(tiny_top, 1);
	BURN_TELL(tiny);
	return 0;
}
