/* SPDX-License-Identifier: ISC */
/* Arguments whose type depends on a command: ioctl(2), prctl(2). */
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include <asm/termbits.h>
#include <linux/fs.h>

#include "cli/decode/mem.h"

/*
 * Terminals
 */
static const struct arg_name iflag_list[] = { ARG_BIT(IGNBRK), ARG_BIT(BRKINT),
	ARG_BIT(IGNPAR), ARG_BIT(PARMRK), ARG_BIT(INPCK), ARG_BIT(ISTRIP),
	ARG_BIT(INLCR), ARG_BIT(IGNCR), ARG_BIT(ICRNL), ARG_BIT(IUCLC),
	ARG_BIT(IXON), ARG_BIT(IXANY), ARG_BIT(IXOFF), ARG_BIT(IMAXBEL),
	ARG_BIT(IUTF8) };
static const struct arg_names iflag_names = ARG_NAMES(iflag_list);
static const struct mem_type mem_iflag = MEM_FLAGS(4, iflag_names);

/* delays for obsolete devices, by their zero */
static const struct arg_name oflag_list[] = { ARG_FIELD(NLDLY, NL0),
	ARG_FIELD(NLDLY, NL1), ARG_FIELD(CRDLY, CR0), ARG_FIELD(CRDLY, CR1),
	ARG_FIELD(CRDLY, CR2), ARG_FIELD(CRDLY, CR3), ARG_FIELD(TABDLY, TAB0),
	ARG_FIELD(TABDLY, TAB1), ARG_FIELD(TABDLY, TAB2),
	ARG_FIELD(TABDLY, TAB3), ARG_FIELD(BSDLY, BS0), ARG_FIELD(BSDLY, BS1),
	ARG_FIELD(VTDLY, VT0), ARG_FIELD(VTDLY, VT1), ARG_FIELD(FFDLY, FF0),
	ARG_FIELD(FFDLY, FF1), ARG_BIT(OPOST), ARG_BIT(OLCUC), ARG_BIT(ONLCR),
	ARG_BIT(OCRNL), ARG_BIT(ONOCR), ARG_BIT(ONLRET), ARG_BIT(OFILL),
	ARG_BIT(OFDEL) };
static const struct arg_names oflag_names = ARG_NAMES(oflag_list);
static const struct mem_type mem_oflag = MEM_FLAGS(4, oflag_names);

static const struct arg_name cflag_list[] = { ARG_FIELD(CBAUD, B0),
	ARG_FIELD(CBAUD, B300), ARG_FIELD(CBAUD, B1200),
	ARG_FIELD(CBAUD, B2400), ARG_FIELD(CBAUD, B4800),
	ARG_FIELD(CBAUD, B9600), ARG_FIELD(CBAUD, B19200),
	ARG_FIELD(CBAUD, B38400), ARG_FIELD(CBAUD, B57600),
	ARG_FIELD(CBAUD, B115200), ARG_FIELD(CBAUD, B230400),
	ARG_FIELD(CBAUD, B460800), ARG_FIELD(CBAUD, B921600),
	ARG_FIELD(CBAUD, BOTHER), ARG_FIELD(CSIZE, CS5), ARG_FIELD(CSIZE, CS6),
	ARG_FIELD(CSIZE, CS7), ARG_FIELD(CSIZE, CS8), ARG_BIT(CSTOPB),
	ARG_BIT(CREAD), ARG_BIT(PARENB), ARG_BIT(PARODD), ARG_BIT(HUPCL),
	ARG_BIT(CLOCAL), ARG_BIT(CMSPAR), ARG_BIT(CRTSCTS) };
static const struct arg_names cflag_names = ARG_NAMES(cflag_list);
static const struct mem_type mem_cflag = MEM_FLAGS(4, cflag_names);

static const struct arg_name lflag_list[] = { ARG_BIT(ISIG), ARG_BIT(ICANON),
	ARG_BIT(XCASE), ARG_BIT(ECHO), ARG_BIT(ECHOE), ARG_BIT(ECHOK),
	ARG_BIT(ECHONL), ARG_BIT(NOFLSH), ARG_BIT(TOSTOP), ARG_BIT(IEXTEN),
	ARG_BIT(ECHOCTL), ARG_BIT(ECHOPRT), ARG_BIT(ECHOKE), ARG_BIT(FLUSHO),
	ARG_BIT(PENDIN), ARG_BIT(EXTPROC) };
static const struct arg_names lflag_names = ARG_NAMES(lflag_list);
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
