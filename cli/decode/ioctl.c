/* SPDX-License-Identifier: ISC */
/*
 * ioctl(2): names of requests and their arguments.  Where drivers share a
 * number, all names are printed, since only the file determines which one
 * applies.
 */
#include <sys/ioctl.h>

#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/perf_event.h>

#include <termios.h>

#include "cli/decode/flag_names.h"
#include "ioctl_names.h"

/*
 * Requests whose size is a parameter, and so a part of the number.  The third
 * byte is the first of in_n numbers; if there are several, it is a parameter,
 * too.
 */
static const struct ioctl_sized {
	uint32_t is_dir;
	uint8_t is_type;
	uint8_t is_first, is_n;
	const char *is_name;
} ioctl_sizeds[] = {
	{ _IOC_READ, 'E', 0x06, 1, "EVIOCGNAME" },
	{ _IOC_READ, 'E', 0x07, 1, "EVIOCGPHYS" },
	{ _IOC_READ, 'E', 0x08, 1, "EVIOCGUNIQ" },
	{ _IOC_READ, 'E', 0x09, 1, "EVIOCGPROP" },
	{ _IOC_READ, 'E', 0x0a, 1, "EVIOCGMTSLOTS" },
	{ _IOC_READ, 'E', 0x18, 1, "EVIOCGKEY" },
	{ _IOC_READ, 'E', 0x19, 1, "EVIOCGLED" },
	{ _IOC_READ, 'E', 0x1a, 1, "EVIOCGSND" },
	{ _IOC_READ, 'E', 0x1b, 1, "EVIOCGSW" },
	{ _IOC_READ, 'E', 0x20, 0x20, "EVIOCGBIT" },
	{ _IOC_READ, 'H', 0x04, 1, "HIDIOCGRAWNAME" },
	{ _IOC_READ, 'H', 0x05, 1, "HIDIOCGRAWPHYS" },
	{ _IOC_READ, 'H', 0x08, 1, "HIDIOCGRAWUNIQ" },
	{ _IOC_READ | _IOC_WRITE, 'H', 0x06, 1, "HIDIOCSFEATURE" },
	{ _IOC_READ | _IOC_WRITE, 'H', 0x07, 1, "HIDIOCGFEATURE" },
	{ _IOC_READ, 'j', 0x13, 1, "JSIOCGNAME" },
	{ _IOC_READ, 'U', 0x2c, 1, "UI_GET_SYSNAME" },
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the index of the first entry with this number or a larger one. */
static size_t
ioctl_find(uint32_t nr)
{
	size_t lo = 0, hi = arg_names_request.ns_n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (arg_names_request.ns_list[mid].an_value < nr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int
ioctl_put_sized(struct buf *b, uint32_t nr)
{
	const struct ioctl_sized *is = ioctl_sizeds,
				 *end = is + N(ioctl_sizeds);

	for (; is < end; is++) {
		if (_IOC_DIR(nr) != is->is_dir ||
		    _IOC_TYPE(nr) != is->is_type ||
		    _IOC_NR(nr) - is->is_first >= is->is_n)
			continue;
		buf_str(b, is->is_name);
		buf_c(b, '(');
		if (is->is_n > 1) {
			buf_hex(b, _IOC_NR(nr) - is->is_first);
			buf_mem(b, ", ", 2);
		}
		buf_u64(b, _IOC_SIZE(nr));
		buf_c(b, ')');
		return 1;
	}
	return 0;
}

/* _IOC(_IOC_READ, 0x54, 0x1, 0x4) */
static void
ioctl_put_parts(struct buf *b, uint32_t nr)
{
	static const char *const dirs[] = {
		[_IOC_NONE] = "_IOC_NONE",
		[_IOC_READ] = "_IOC_READ",
		[_IOC_WRITE] = "_IOC_WRITE",
		[_IOC_READ | _IOC_WRITE] = "_IOC_READ|_IOC_WRITE",
	};

	buf_str(b, "_IOC(");
	buf_str(b, dirs[_IOC_DIR(nr)]);
	buf_mem(b, ", ", 2);
	arg_put_hex(b, _IOC_TYPE(nr));
	buf_mem(b, ", ", 2);
	arg_put_hex(b, _IOC_NR(nr));
	buf_mem(b, ", ", 2);
	arg_put_hex(b, _IOC_SIZE(nr));
	buf_c(b, ')');
}

void
arg_put_ioctl(struct buf *b, uint32_t nr)
{
	const struct arg_names *ns = &arg_names_request;
	size_t first = ioctl_find(nr), i;

	for (i = first; i < ns->ns_n && ns->ns_list[i].an_value == nr; i++) {
		if (i > first)
			buf_mem(b, " or ", 4);
		buf_mem(b, ns->ns_list[i].an_name, ns->ns_list[i].an_len);
	}
	if (i == first && !ioctl_put_sized(b, nr))
		ioctl_put_parts(b, nr);
}

static void
ioctl_cmd_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ac;
	(void)argn;
	(void)ak;
	arg_put_ioctl(b, (uint32_t)v);
}

/* Requests without an argument, or with a number; most take an address. */
static const struct ioctl_arg {
	uint32_t ia_nr;
	const struct arg_kind *ia_kind; /* NULL: none */
} ioctl_args[] = {
	{ TIOCEXCL, NULL },
	{ TIOCNXCL, NULL },
	{ TIOCCONS, NULL },
	{ TIOCNOTTY, NULL },
	{ TIOCSBRK, NULL },
	{ TIOCCBRK, NULL },
	{ TIOCVHANGUP, NULL },
	{ FIOCLEX, NULL },
	{ FIONCLEX, NULL },
	{ TCSBRK, ARG_FUNC(arg_int_text) },
	{ TCSBRKP, ARG_FUNC(arg_int_text) },
	{ TIOCSCTTY, ARG_FUNC(arg_int_text) },
	{ TCXONC, ARG_ENUM(xonc_names) },
	{ TCFLSH, ARG_ENUM(flush_names) },
	{ FIFREEZE, NULL },
	{ FITHAW, NULL },
	{ FICLONE, ARG_FUNC(arg_fd_text) },
	{ LOOP_SET_FD, ARG_FUNC(arg_fd_text) },
	{ LOOP_CHANGE_FD, ARG_FUNC(arg_fd_text) },
	{ LOOP_CLR_FD, NULL },
	{ LOOP_CTL_GET_FREE, NULL },
	{ LOOP_CTL_ADD, ARG_FUNC(arg_int_text) },
	{ LOOP_CTL_REMOVE, ARG_FUNC(arg_int_text) },
	{ BLKFLSBUF, NULL },
	{ BLKRRPART, NULL },
	{ PERF_EVENT_IOC_ENABLE, ARG_FLAGS(perf_names) },
	{ PERF_EVENT_IOC_DISABLE, ARG_FLAGS(perf_names) },
	{ PERF_EVENT_IOC_RESET, ARG_FLAGS(perf_names) },
	{ PERF_EVENT_IOC_REFRESH, ARG_FUNC(arg_int_text) },
	{ PERF_EVENT_IOC_SET_OUTPUT, ARG_FUNC(arg_fd_text) },
	{ PERF_EVENT_IOC_SET_BPF, ARG_FUNC(arg_fd_text) },
};

static const struct ioctl_arg *
ioctl_arg(const struct arg_call *ac)
{
	uint32_t nr = (uint32_t)arg_value(ac, 1);
	size_t i;

	for (i = 0; i < N(ioctl_args); i++) {
		if (ioctl_args[i].ia_nr == nr)
			return &ioctl_args[i];
	}
	return NULL;
}

void
arg_ioctl_arg_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct ioctl_arg *ia = ioctl_arg(ac);

	(void)ak;
	if (ia != NULL && ia->ia_kind != NULL)
		ia->ia_kind->ak_text(b, ac, argn, v, ia->ia_kind);
	else if (_IOC_DIR((uint32_t)arg_value(ac, 1)) != _IOC_NONE)
		arg_put_ptr(b, v);
	else
		arg_put_hex(b, v);
}

static int
ioctl_shown(const struct arg_call *ac, unsigned int argn)
{
	const struct ioctl_arg *ia;

	return argn != 2 || (ia = ioctl_arg(ac)) == NULL || ia->ia_kind != NULL;
}

static const struct arg_row ioctl_rows[] = {
	{ "ioctl", "cmd", NULL,
	    ARG_FUNC_NAMES(ioctl_cmd_text, arg_names_request) },
	{ "ioctl", "arg", NULL, ARG_FUNC(arg_ioctl_arg_text) },
};

static const struct arg_show ioctl_shows[] = { { "ioctl", ioctl_shown } };

const struct arg_table arg_table_ioctl = ARG_TABLE_SHOW(ioctl_rows,
    ioctl_shows);
