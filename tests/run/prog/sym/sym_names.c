/* SPDX-License-Identifier: ISC */
/*
 * Functions with unusual names: the Makefile renames these in the object file
 * to markup, control characters, separators, and 3,000 letters.
 */
#include "tests/run/prog/sym/burn.h"

BURN_APART void names_markup(void);
BURN_APART void names_escape(void);
BURN_APART void names_separators(void);
BURN_APART void names_long(void);

void
names_markup(void)
{
	burn_spin(25);
}

void
names_escape(void)
{
	burn_spin(25);
	names_markup();
	burn_sink++;
}

void
names_separators(void)
{
	burn_spin(25);
	names_escape();
	burn_sink++;
}

void
names_long(void)
{
	burn_spin(25);
	names_separators();
	burn_sink++;
}

int
main(int argc, char **argv)
{
	burn_for(names_long, burn_arg(argc, argv));
	return 0;
}
