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

#ifndef AT_HANDLE_FID
#define AT_HANDLE_FID AT_REMOVEDIR /* Linux 6.5 */
#endif
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000U /* Linux 6.8 */
#endif
#ifndef STATX_SUBVOL
#define STATX_SUBVOL 0x8000U /* Linux 6.10 */
#endif
#ifndef STATX_WRITE_ATOMIC
#define STATX_WRITE_ATOMIC 0x10000U /* Linux 6.11 */
#endif
#ifndef STATX_DIO_READ_ALIGN
#define STATX_DIO_READ_ALIGN 0x20000U /* Linux 6.14 */
#endif

/*
 * For most calls; AT_REMOVEDIR, AT_EACCESS and AT_HANDLE_FID are the same bit.
 */
static const struct arg_name at_list[] = {
	ARG_BIT(AT_SYMLINK_NOFOLLOW),
	ARG_BIT(AT_REMOVEDIR),
	ARG_BIT(AT_SYMLINK_FOLLOW),
	ARG_BIT(AT_NO_AUTOMOUNT),
	ARG_BIT(AT_EMPTY_PATH),
	ARG_BIT(AT_RECURSIVE),
};
const struct arg_names arg_names_at = ARG_NAMES(at_list);

static const struct arg_name faccess_list[] = {
	ARG_BIT(AT_SYMLINK_NOFOLLOW),
	ARG_BIT(AT_EACCESS),
	ARG_BIT(AT_SYMLINK_FOLLOW),
	ARG_BIT(AT_NO_AUTOMOUNT),
	ARG_BIT(AT_EMPTY_PATH),
	ARG_BIT(AT_RECURSIVE),
};
static const struct arg_names faccess_names = ARG_NAMES(faccess_list);

static const struct arg_name handle_list[] = {
	ARG_BIT(AT_SYMLINK_FOLLOW),
	ARG_BIT(AT_HANDLE_FID),
	ARG_BIT(AT_EMPTY_PATH),
};
static const struct arg_names handle_names = ARG_NAMES(handle_list);

/* 0x6000 is a field, in which 0 has a name, too. */
static const struct arg_name statx_list[] = {
	ARG_FIELD(AT_STATX_SYNC_TYPE, AT_STATX_SYNC_AS_STAT),
	ARG_FIELD(AT_STATX_SYNC_TYPE, AT_STATX_FORCE_SYNC),
	ARG_FIELD(AT_STATX_SYNC_TYPE, AT_STATX_DONT_SYNC),
	ARG_FIELD(AT_STATX_SYNC_TYPE, AT_STATX_SYNC_TYPE),
	ARG_BIT(AT_SYMLINK_NOFOLLOW),
	ARG_BIT(AT_REMOVEDIR),
	ARG_BIT(AT_SYMLINK_FOLLOW),
	ARG_BIT(AT_NO_AUTOMOUNT),
	ARG_BIT(AT_EMPTY_PATH),
	ARG_BIT(AT_RECURSIVE),
};
static const struct arg_names statx_names = ARG_NAMES(statx_list);

static const struct arg_name statxmask_list[] = {
	ARG_BIT(STATX_ALL),
	ARG_BIT(STATX_BASIC_STATS),
	ARG_BIT(STATX_TYPE),
	ARG_BIT(STATX_MODE),
	ARG_BIT(STATX_NLINK),
	ARG_BIT(STATX_UID),
	ARG_BIT(STATX_GID),
	ARG_BIT(STATX_ATIME),
	ARG_BIT(STATX_MTIME),
	ARG_BIT(STATX_CTIME),
	ARG_BIT(STATX_INO),
	ARG_BIT(STATX_SIZE),
	ARG_BIT(STATX_BLOCKS),
	ARG_BIT(STATX_BTIME),
	ARG_BIT(STATX_MNT_ID),
	ARG_BIT(STATX_DIOALIGN),
	ARG_BIT(STATX_MNT_ID_UNIQUE),
	ARG_BIT(STATX_SUBVOL),
	ARG_BIT(STATX_WRITE_ATOMIC),
	ARG_BIT(STATX_DIO_READ_ALIGN),
};
const struct arg_names arg_names_statxmask = ARG_NAMES(statxmask_list);

static const struct arg_name access_list[] = {
	ARG_BIT(R_OK),
	ARG_BIT(W_OK),
	ARG_BIT(X_OK),
};
static const struct arg_names access_names = ARG_NAMES_ZERO(access_list,
    "F_OK");

static const struct arg_name rename_list[] = {
	ARG_BIT(RENAME_NOREPLACE),
	ARG_BIT(RENAME_EXCHANGE),
	ARG_BIT(RENAME_WHITEOUT),
};
static const struct arg_names rename_names = ARG_NAMES(rename_list);

static const struct arg_name xattr_list[] = {
	ARG_BIT(XATTR_CREATE),
	ARG_BIT(XATTR_REPLACE),
};
static const struct arg_names xattr_names = ARG_NAMES(xattr_list);

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
