/* SPDX-License-Identifier: ISC */
/* Arguments whose type depends on a command: ioctl(2), prctl(2). */
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include <asm/termbits.h>
#include <linux/fs.h>

#include "cli/decode/mem.h"
#include "mem_dev_names.h"

/*
 * Terminals
 */
static const struct mem_type mem_iflag = MEM_FLAGS(4, iflag_names);

static const struct mem_type mem_oflag = MEM_FLAGS(4, oflag_names);

static const struct mem_type mem_cflag = MEM_FLAGS(4, cflag_names);

static const struct mem_type mem_lflag = MEM_FLAGS(4, lflag_names);

static const struct mem_field termios_list[] = {
	{ "c_iflag", 0, &mem_iflag },
	{ "c_oflag", 4, &mem_oflag },
	{ "c_cflag", 8, &mem_cflag },
	{ "c_lflag", 12, &mem_lflag },
};
static const struct mem_struct termios_fields = MEM_FIELDS(termios_list, 1);
static const struct mem_type mem_termios = MEM_STRUCT(16, termios_fields);

static const struct mem_field winsize_list[] = {
	{ "ws_row", 0, &mem_u16 },
	{ "ws_col", 2, &mem_u16 },
	{ "ws_xpixel", 4, &mem_u16 },
	{ "ws_ypixel", 6, &mem_u16 },
};
static const struct mem_struct winsize_fields = MEM_FIELDS(winsize_list, 0);
static const struct mem_type mem_winsize = MEM_STRUCT(8, winsize_fields);

/* Prints one int, though more bytes were read. */
static void
dev_int_put(struct buf *b, const struct mem *m, const struct mem_type *mt)
{
	buf_c(b, '[');
	buf_s64(b, mem_int(m, 0, mt->mt_size));
	buf_c(b, ']');
}

static const struct mem_type mem_int1 = { dev_int_put, 4, NULL };
static const struct mem_type mem_long1 = { dev_int_put, 8, NULL };

static const struct mem_cmd ioctl_list[] = {
	{ TCGETS, MEM_OUT, &mem_termios },
	{ TCSETS, MEM_IN, &mem_termios },
	{ TCSETSW, MEM_IN, &mem_termios },
	{ TCSETSF, MEM_IN, &mem_termios },
	{ TIOCGWINSZ, MEM_OUT, &mem_winsize },
	{ TIOCSWINSZ, MEM_IN, &mem_winsize },
	{ TIOCGPGRP, MEM_OUT, &mem_int1 },
	{ TIOCSPGRP, MEM_IN, &mem_int1 },
	{ TIOCGSID, MEM_OUT, &mem_int1 },
	{ TIOCOUTQ, MEM_OUT, &mem_int1 },
	{ TIOCGPTN, MEM_OUT, &mem_int1 },
	{ TIOCSPTLCK, MEM_IN, &mem_int1 },
	{ FIONREAD, MEM_OUT, &mem_int1 },
	{ FIONBIO, MEM_IN, &mem_int1 },
	{ FIOASYNC, MEM_IN, &mem_int1 },
	{ BLKGETSIZE64, MEM_OUT, &mem_long1 },
	{ BLKSSZGET, MEM_OUT, &mem_int1 },
};
static const struct mem_cmds ioctl_cmds = MEM_CMDS(ioctl_list, 1, UINT64_MAX,
    ARG_FUNC(arg_ioctl_arg_text));

/*
 * prctl
 */
#define DEV_COMM 16 /* TASK_COMM_LEN */

static const struct mem_type mem_comm = { mem_chars_put, DEV_COMM, NULL };

static const struct mem_cmd prctl_list[] = {
	{ PR_SET_NAME, MEM_IN, &mem_comm },
	{ PR_GET_NAME, MEM_OUT, &mem_comm },
	{ PR_GET_PDEATHSIG, MEM_OUT, &mem_int1 },
	{ PR_GET_CHILD_SUBREAPER, MEM_OUT, &mem_int1 },
};
static const struct mem_cmds prctl_cmds = MEM_CMDS(prctl_list, 0, UINT64_MAX,
    ARG_OP(arg_ops_prctl));

static const struct arg_row dev_rows[] = {
	{ "ioctl", "arg", NULL, ARG_CMDS(ioctl_cmds) },
	{ "prctl", "arg2", NULL, ARG_CMDS(prctl_cmds) },
};

const struct arg_table arg_table_mem_dev = ARG_TABLE(dev_rows);
