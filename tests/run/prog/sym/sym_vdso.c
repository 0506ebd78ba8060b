/* SPDX-License-Identifier: ISC */
/*
 * sym_vdso [MSECS]
 *
 * Spends most of its time in the vdso, in a call that reads no hardware clock.
 * The library's wrapper has no frame, so vdso_caller is missing from the stack,
 * and its caller is not.
 */
#include "tests/run/prog/sym/burn.h"

static BURN_APART void
vdso_caller(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	burn_sink += ts.tv_nsec;
}

static BURN_APART void
vdso_top(void)
{
	int i;

	for (i = 0; i < 10000; i++)
		vdso_caller();
	burn_sink++;
}

int
main(int argc, char **argv)
{
	burn_for(vdso_top, burn_arg(argc, argv));
	return 0;
}
