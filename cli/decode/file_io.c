/* SPDX-License-Identifier: ISC */
/*
 * Calls on open files: positions, allocation, locks, kinds of reads and writes.
 */
#include <sys/file.h>

#include <linux/close_range.h>
#include <linux/fadvise.h>
#include <linux/falloc.h>
#include <linux/fs.h>

#include <string.h>

#include "cli/decode/flag_names.h"

#ifndef RWF_NOAPPEND
#define RWF_NOAPPEND 0x20 /* Linux 6.9 */
#endif
#ifndef RWF_ATOMIC
#define RWF_ATOMIC 0x40 /* Linux 6.11 */
#endif
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x80 /* Linux 6.14 */
#endif

static const struct arg_name whence_list[] = {
	ARG_IS(SEEK_SET),
	ARG_IS(SEEK_CUR),
	ARG_IS(SEEK_END),
	ARG_IS(SEEK_DATA),
	ARG_IS(SEEK_HOLE),
};
const struct arg_names arg_names_whence = ARG_NAMES(whence_list);

static const struct arg_name falloc_list[] = {
	ARG_BIT(FALLOC_FL_KEEP_SIZE),
	ARG_BIT(FALLOC_FL_PUNCH_HOLE),
	ARG_BIT(FALLOC_FL_NO_HIDE_STALE),
	ARG_BIT(FALLOC_FL_COLLAPSE_RANGE),
	ARG_BIT(FALLOC_FL_ZERO_RANGE),
	ARG_BIT(FALLOC_FL_INSERT_RANGE),
	ARG_BIT(FALLOC_FL_UNSHARE_RANGE),
};
static const struct arg_names falloc_names = ARG_NAMES(falloc_list);

/* LOCK_MAND and its parts, which Linux 5.17 removed, keep their names. */
static const struct arg_name flock_list[] = {
	ARG_BIT(LOCK_SH),
	ARG_BIT(LOCK_EX),
	ARG_BIT(LOCK_NB),
	ARG_BIT(LOCK_UN),
	ARG_BIT(LOCK_MAND),
	ARG_BIT(LOCK_RW),
	ARG_BIT(LOCK_READ),
	ARG_BIT(LOCK_WRITE),
};
static const struct arg_names flock_names = ARG_NAMES(flock_list);

static const struct arg_name fadvise_list[] = {
	ARG_IS(POSIX_FADV_NORMAL),
	ARG_IS(POSIX_FADV_RANDOM),
	ARG_IS(POSIX_FADV_SEQUENTIAL),
	ARG_IS(POSIX_FADV_WILLNEED),
	ARG_IS(POSIX_FADV_DONTNEED),
	ARG_IS(POSIX_FADV_NOREUSE),
};
static const struct arg_names fadvise_names = ARG_NAMES(fadvise_list);

static const struct arg_name syncrange_list[] = {
	ARG_BIT(SYNC_FILE_RANGE_WAIT_BEFORE),
	ARG_BIT(SYNC_FILE_RANGE_WRITE),
	ARG_BIT(SYNC_FILE_RANGE_WAIT_AFTER),
};
static const struct arg_names syncrange_names = ARG_NAMES(syncrange_list);

static const struct arg_name splice_list[] = {
	ARG_BIT(SPLICE_F_MOVE),
	ARG_BIT(SPLICE_F_NONBLOCK),
	ARG_BIT(SPLICE_F_MORE),
	ARG_BIT(SPLICE_F_GIFT),
};
static const struct arg_names splice_names = ARG_NAMES(splice_list);

static const struct arg_name rwf_list[] = {
	ARG_BIT(RWF_HIPRI),
	ARG_BIT(RWF_DSYNC),
	ARG_BIT(RWF_SYNC),
	ARG_BIT(RWF_NOWAIT),
	ARG_BIT(RWF_APPEND),
	ARG_BIT(RWF_NOAPPEND),
	ARG_BIT(RWF_ATOMIC),
	ARG_BIT(RWF_DONTCACHE),
};
static const struct arg_names rwf_names = ARG_NAMES(rwf_list);

static const struct arg_name closerange_list[] = {
	ARG_BIT(CLOSE_RANGE_UNSHARE),
	ARG_BIT(CLOSE_RANGE_CLOEXEC),
};
static const struct arg_names closerange_names = ARG_NAMES(closerange_list);

/* A 64-bit register holds the whole position; the second one is unused. */
static int
preadv_shown(const struct arg_call *ac, unsigned int argn)
{
	return argn != 4 ||
	    (ac->ac_probe->pr_desc.pd_info.dtpi_flags & DTPI_COMPAT) != 0;
}

static const struct arg_row file_rows[] = {
	{ "lseek", "whence", NULL, ARG_ENUM(arg_names_whence) },
	{ "_llseek", "whence", NULL, ARG_ENUM(arg_names_whence) },
	{ "fallocate", "mode", NULL, ARG_FLAGS(falloc_names) },
	{ "flock", "cmd", NULL, ARG_FLAGS(flock_names) },
	{ "fadvise64 arm_fadvise64_64 fadvise64_64", "advice", NULL,
	    ARG_ENUM(fadvise_names) },
	{ "sync_file_range sync_file_range2 arm_sync_file_range", "flags", NULL,
	    ARG_FLAGS(syncrange_names) },
	{ "splice tee vmsplice", "flags", NULL, ARG_FLAGS(splice_names) },
	{ "preadv pwritev preadv2 pwritev2", "pos_l", NULL,
	    ARG_FUNC(arg_long_text) },
	{ "preadv2 pwritev2", "flags", NULL, ARG_FLAGS(rwf_names) },
	{ "close_range", "max_fd", NULL, ARG_FUNC(arg_uint_text) },
	{ "close_range", "fd", NULL, ARG_FUNC(arg_fd_text) },
	{ "close_range", "flags", NULL, ARG_FLAGS(closerange_names) },
	{ "splice copy_file_range", "fd_in", NULL, ARG_FUNC(arg_fd_text) },
	{ "splice copy_file_range", "fd_out", NULL, ARG_FUNC(arg_fd_text) },
	{ "tee", "fdin", NULL, ARG_FUNC(arg_fd_text) },
	{ "tee", "fdout", NULL, ARG_FUNC(arg_fd_text) },
};

static const struct arg_show file_shows[] = {
	{ "preadv pwritev preadv2 pwritev2", preadv_shown },
};

const struct arg_table arg_table_file_io = ARG_TABLE_SHOW(file_rows,
    file_shows);
