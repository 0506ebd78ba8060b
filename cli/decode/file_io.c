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
#include "file_io_names.h"

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
