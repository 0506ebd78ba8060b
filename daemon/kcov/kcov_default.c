/* SPDX-License-Identifier: ISC */
/*
 * The functions that are recorded by default; kcov(4) lists them.  They are
 * where system calls begin and where these branch: enough to distinguish paths
 * through the kernel, without functions that every call or every tick enters,
 * since attached functions slow down all processes.
 *
 * kcov(4) states how many there are (6.12, 6.1), and their cost for getppid(2)
 * in a thread that is not traced.
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
