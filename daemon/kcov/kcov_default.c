/* SPDX-License-Identifier: ISC */
/*
 * The functions that are recorded where nobody names others; kcov(4) has them,
 * too.  They are where system calls begin, and how these decide: enough to tell
 * one way through the kernel from another, and nothing that each call passes,
 * or each tick, for everybody's calls pay for what is attached.
 *
 * How many there are (6.12, 6.1), and getppid(2) of a thread that is not
 * traced, with them as against without: kcov(4).
 */
#include "daemon/kcov/kcov_softc.h"

const char *
kcov_default_globs(const struct attach_method *am)
{
	if (am != NULL && am->am_piece == 1)
		return "vfs_* path_* may_* do_sys_open* do_filp_open "
		       "do_dentry_open do_truncate";
	return "__x64_sys_* __arm64_sys_* __sys_* ksys_* do_* vfs_* path_* "
	       "filename_* may_* generic_* mmap_* pipe_* sock_* unix_* "
	       "copy_*";
}
