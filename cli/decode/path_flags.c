/* SPDX-License-Identifier: ISC */
/*
 * Calls that take a path: access, stat, link, rename, and their AT_* and other
 * flags.
 */
#include <unistd.h>

#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <linux/xattr.h>

#include "cli/decode/flag_names.h"
#include "path_flags_names.h"

static const struct arg_row at_rows[] = {
	{ "access faccessat faccessat2", "mode", NULL,
	    ARG_FLAGS(access_names) },
	{ "faccessat2", "flags", NULL, ARG_FLAGS(faccess_names) },
	{ "newfstatat fstatat64 unlinkat fchownat", "flag", NULL,
	    ARG_FLAGS(arg_names_at) },
	{ "linkat utimensat fchmodat2 execveat", "flags", NULL,
	    ARG_FLAGS(arg_names_at) },
	{ "*", "at_flags", NULL, ARG_FLAGS(arg_names_at) },
	{ "name_to_handle_at", "flag", NULL, ARG_FLAGS(handle_names) },
	{ "statx", "flags", NULL, ARG_FLAGS(statx_names) },
	{ "statx", "mask", NULL, ARG_FLAGS(arg_names_statxmask) },
	{ "renameat2", "flags", NULL, ARG_FLAGS(rename_names) },
	{ "setxattr lsetxattr fsetxattr", "flags", NULL,
	    ARG_FLAGS(xattr_names) },
	{ "execveat", "fd", NULL, ARG_FUNC(arg_dirfd_text) },
};

const struct arg_table arg_table_path_flags = ARG_TABLE(at_rows);
