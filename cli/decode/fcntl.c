/* SPDX-License-Identifier: ISC */
/*
 * fcntl(2): the command determines the kinds of its argument and its result.
 * Locks and owners are structs and are not decoded here.
 */
#include <linux/fcntl.h>

#include "cli/decode/flag_names.h"
#include "fcntl_names.h"

/* Only 32-bit programs use these; the 64-bit header lacks them. */
#ifndef F_GETLK64
#define F_GETLK64  12
#define F_SETLK64  13
#define F_SETLKW64 14
#endif
#ifndef F_CREATED_QUERY
#define F_CREATED_QUERY (F_LINUX_SPECIFIC_BASE + 4) /* Linux 6.12 */
#endif
#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY (F_LINUX_SPECIFIC_BASE + 3) /* Linux 6.10 */
#endif

/* Prints flags after their number: 0x1 (flags FD_CLOEXEC). */
static void
fcntl_flags_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct arg_names *ns = ak->ak_table;

	(void)argn;
	if (v == 0 && ns != &arg_names_open) {
		buf_c(b, '0');
		return;
	}
	arg_put_hex(b, v);
	buf_str(b, ns == &seal_names ? " (seals " : " (flags ");
	arg_put_flags(b, arg_names_of(ns, ac), v);
	buf_c(b, ')');
}

#define NONE \
	0, \
	{ \
		NULL \
	}
#define ONE(kind) \
	1, \
	{ \
		kind \
	}
#define PTR	     ONE(ARG_FUNC(arg_ptr_text))
#define LONG	     ONE(ARG_FUNC(arg_long_text))
#define FLAGS(names) ARG_KIND(fcntl_flags_text, &(names))

static const struct arg_op fcntl_list[] = {
	{ ARG_IS(F_DUPFD), LONG, ARG_FUNC(arg_fd_text) },
	{ ARG_IS(F_DUPFD_CLOEXEC), LONG, ARG_FUNC(arg_fd_text) },
	{ ARG_IS(F_GETFD), NONE, FLAGS(fd_names) },
	{ ARG_IS(F_SETFD), ONE(ARG_FLAGS(fd_names)), NULL },
	{ ARG_IS(F_GETFL), NONE, FLAGS(arg_names_open) },
	{ ARG_IS(F_SETFL), ONE(ARG_FLAGS(arg_names_open)), NULL },
	{ ARG_IS(F_GETLK), PTR, NULL },
	{ ARG_IS(F_SETLK), PTR, NULL },
	{ ARG_IS(F_SETLKW), PTR, NULL },
	{ ARG_IS(F_SETOWN), ONE(ARG_FUNC(arg_int_text)), NULL },
	{ ARG_IS(F_GETOWN), NONE, NULL },
	{ ARG_IS(F_SETSIG), ONE(ARG_FUNC(arg_sig_text)), NULL },
	{ ARG_IS(F_GETSIG), NONE, ARG_FUNC(arg_note_sig_text) },
	{ ARG_IS(F_GETLK64), PTR, NULL },
	{ ARG_IS(F_SETLK64), PTR, NULL },
	{ ARG_IS(F_SETLKW64), PTR, NULL },
	{ ARG_IS(F_SETOWN_EX), PTR, NULL },
	{ ARG_IS(F_GETOWN_EX), PTR, NULL },
	{ ARG_IS(F_GETOWNER_UIDS), PTR, NULL },
	{ ARG_IS(F_OFD_GETLK), PTR, NULL },
	{ ARG_IS(F_OFD_SETLK), PTR, NULL },
	{ ARG_IS(F_OFD_SETLKW), PTR, NULL },
	{ ARG_IS(F_SETLEASE), ONE(ARG_ENUM(lease_names)), NULL },
	{ ARG_IS(F_GETLEASE), NONE, ARG_NOTE(lease_names) },
	{ ARG_IS(F_NOTIFY), ONE(ARG_FLAGS(notify_names)), NULL },
	{ ARG_IS(F_DUPFD_QUERY), ONE(ARG_FUNC(arg_fd_text)), NULL },
	{ ARG_IS(F_CREATED_QUERY), NONE, NULL },
	{ ARG_IS(F_CANCELLK), PTR, NULL },
	{ ARG_IS(F_SETPIPE_SZ), LONG, NULL },
	{ ARG_IS(F_GETPIPE_SZ), NONE, NULL },
	{ ARG_IS(F_ADD_SEALS), ONE(ARG_FLAGS(seal_names)), NULL },
	{ ARG_IS(F_GET_SEALS), NONE, FLAGS(seal_names) },
	{ ARG_IS(F_GET_RW_HINT), PTR, NULL },
	{ ARG_IS(F_SET_RW_HINT), PTR, NULL },
	{ ARG_IS(F_GET_FILE_RW_HINT), PTR, NULL },
	{ ARG_IS(F_SET_FILE_RW_HINT), PTR, NULL },
};
const struct arg_ops arg_ops_fcntl = ARG_OPS(fcntl_list, 1, UINT64_MAX);

static int
fcntl_shown(const struct arg_call *ac, unsigned int argn)
{
	return arg_op_shown(&arg_ops_fcntl, ac, argn);
}

static const struct arg_row fcntl_rows[] = {
	{ "fcntl", "cmd", NULL, ARG_OP(arg_ops_fcntl) },
	{ "fcntl", "arg", NULL, ARG_OP(arg_ops_fcntl) },
	{ "fcntl", "=", NULL, ARG_OP(arg_ops_fcntl) },
};

static const struct arg_show fcntl_shows[] = { { "fcntl", fcntl_shown } };

const struct arg_table arg_table_fcntl = ARG_TABLE_SHOW(fcntl_rows,
    fcntl_shows);
