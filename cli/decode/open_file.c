/* SPDX-License-Identifier: ISC */
/*
 * open(2) and calls that create files: flags, and the mode of new files.  Uses
 * the kernel's header, since in libc's O_LARGEFILE is 0.
 */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <linux/fcntl.h>

#include "cli/decode/flag_names.h"
#include "open_file_names.h"

/* Prints S_IFIFO|0644, of mknod(2). */
static void
open_node_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct arg_name *an = arg_name_of(&node_names, v & S_IFMT);

	(void)ac;
	(void)argn;
	(void)ak;
	if (an != NULL) {
		buf_mem(b, an->an_name, an->an_len);
		buf_c(b, '|');
		v &= 0xffff & ~S_IFMT;
	}
	arg_put_oct(b, v & 0xffff, 3);
}

/* Prints makedev(0x8, 0x1). */
static void
open_dev_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	buf_str(b, "makedev(");
	arg_put_hex(b, major(v));
	buf_mem(b, ", ", 2);
	arg_put_hex(b, minor(v));
	buf_c(b, ')');
}

/* Returns whether the flags create a file, which has a mode. */
static int
open_makes(uint64_t flags)
{
	return (flags & (O_CREAT | __O_TMPFILE)) != 0;
}

static int
open_shown(const struct arg_call *ac, unsigned int argn)
{
	return argn != 2 || open_makes(arg_value(ac, 1));
}

static int
openat_shown(const struct arg_call *ac, unsigned int argn)
{
	return argn != 3 || open_makes(arg_value(ac, 2));
}

static int
mq_open_shown(const struct arg_call *ac, unsigned int argn)
{
	return argn < 2 || open_makes(arg_value(ac, 1));
}

static int
mknod_is_device(uint64_t mode)
{
	return (mode & S_IFMT) == S_IFCHR || (mode & S_IFMT) == S_IFBLK;
}

static int
mknod_shown(const struct arg_call *ac, unsigned int argn)
{
	return argn != 2 || mknod_is_device(arg_value(ac, 1));
}

static int
mknodat_shown(const struct arg_call *ac, unsigned int argn)
{
	return argn != 3 || mknod_is_device(arg_value(ac, 2));
}

static const struct arg_row open_rows[] = {
	{ "open openat open_by_handle_at", "flags", NULL,
	    ARG_FLAGS(arg_names_open) },
	{ "mq_open", "oflag", NULL, ARG_FLAGS(arg_names_open) },
	{ "mknod mknodat", "mode", NULL,
	    ARG_FUNC_NAMES(open_node_text, node_names) },
	{ "mknod mknodat ustat", "dev", NULL, ARG_FUNC(open_dev_text) },
	{ "open openat openat2 creat open_by_handle_at mq_open", "=", NULL,
	    ARG_FUNC(arg_fd_text) },
	{ "umask", "mask", NULL, ARG_FUNC(arg_oct_text) },
	{ "umask", "=", NULL, ARG_FUNC(arg_oct_text) },
};

static const struct arg_show open_shows[] = {
	{ "open", open_shown },
	{ "openat", openat_shown },
	{ "mq_open", mq_open_shown },
	{ "mknod", mknod_shown },
	{ "mknodat", mknodat_shown },
};

const struct arg_table arg_table_open_file = ARG_TABLE_SHOW(open_rows,
    open_shows);
