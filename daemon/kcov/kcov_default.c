/* SPDX-License-Identifier: ISC */
/*
 * The functions that are recorded where nobody names others; kcov(4) has them,
 * too.
 */
#include "kcov_softc.h"

const char *
kcov_default_globs(const struct kmethod *km)
{
	if (km != NULL && km->km_piece == 1)
		return "vfs_*";
	return "vfs_* do_sys_open* do_filp_open path_*";
}
