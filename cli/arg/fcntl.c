/* SPDX-License-Identifier: ISC */
/*
 * fcntl(2): what its argument and its result are depends on the command.
 * Locks and owners are structs and not known here.
 */
#include <linux/fcntl.h>

#include "names.h"

/* Only 32-bit programs have them; the header for 64 bits doesn't. */
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
#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x0020 /* Linux 6.3 */
#endif

static const struct arg_name cmd_list[] = { ARG_IS(F_DUPFD), ARG_IS(F_GETFD),
	ARG_IS(F_SETFD), ARG_IS(F_GETFL), ARG_IS(F_SETFL), ARG_IS(F_GETLK),
	ARG_IS(F_SETLK), ARG_IS(F_SETLKW), ARG_IS(F_SETOWN), ARG_IS(F_GETOWN),
	ARG_IS(F_SETSIG), ARG_IS(F_GETSIG), ARG_IS(F_GETLK64),
	ARG_IS(F_SETLK64), ARG_IS(F_SETLKW64), ARG_IS(F_SETOWN_EX),
	ARG_IS(F_GETOWN_EX), ARG_IS(F_GETOWNER_UIDS), ARG_IS(F_OFD_GETLK),
	ARG_IS(F_OFD_SETLK), ARG_IS(F_OFD_SETLKW), ARG_IS(F_SETLEASE),
	ARG_IS(F_GETLEASE), ARG_IS(F_NOTIFY), ARG_IS(F_DUPFD_QUERY),
	ARG_IS(F_CREATED_QUERY), ARG_IS(F_CANCELLK), ARG_IS(F_DUPFD_CLOEXEC),
	ARG_IS(F_SETPIPE_SZ), ARG_IS(F_GETPIPE_SZ), ARG_IS(F_ADD_SEALS),
	ARG_IS(F_GET_SEALS), ARG_IS(F_GET_RW_HINT), ARG_IS(F_SET_RW_HINT),
	ARG_IS(F_GET_FILE_RW_HINT), ARG_IS(F_SET_FILE_RW_HINT) };
static const struct arg_names cmd_names = ARG_NAMES(cmd_list);

static const struct arg_name fd_list[] = { ARG_BIT(FD_CLOEXEC) };
static const struct arg_names fd_names = ARG_NAMES(fd_list);

static const struct arg_name lease_list[] = { ARG_IS(F_RDLCK), ARG_IS(F_WRLCK),
	ARG_IS(F_UNLCK), ARG_IS(F_EXLCK), ARG_IS(F_SHLCK) };
static const struct arg_names lease_names = ARG_NAMES(lease_list);

static const struct arg_name notify_list[] = { ARG_BIT(DN_ACCESS),
	ARG_BIT(DN_MODIFY), ARG_BIT(DN_CREATE), ARG_BIT(DN_DELETE),
	ARG_BIT(DN_RENAME), ARG_BIT(DN_ATTRIB), ARG_BIT(DN_MULTISHOT) };
static const struct arg_names notify_names = ARG_NAMES(notify_list);

static const struct arg_name seal_list[] = { ARG_BIT(F_SEAL_SEAL),
	ARG_BIT(F_SEAL_SHRINK), ARG_BIT(F_SEAL_GROW), ARG_BIT(F_SEAL_WRITE),
	ARG_BIT(F_SEAL_FUTURE_WRITE), ARG_BIT(F_SEAL_EXEC) };
static const struct arg_names seal_names = ARG_NAMES(seal_list);

/* What a command takes and gives; one that is missing takes an address. */
static const struct fcntl_cmd {
	unsigned int fc_cmd;
	const struct arg_kind *fc_arg; /* NULL: it takes none */
	const struct arg_kind *fc_ret; /* NULL: a number */
} fcntl_cmds[] = {
	{ F_DUPFD, ARG_FUNC(arg_long_text), ARG_FUNC(arg_fd_text) },
	{ F_DUPFD_CLOEXEC, ARG_FUNC(arg_long_text), ARG_FUNC(arg_fd_text) },
	{ F_GETFD, NULL, ARG_FLAGS(fd_names) },
	{ F_SETFD, ARG_FLAGS(fd_names), NULL },
	{ F_GETFL, NULL, ARG_FLAGS(arg_names_open) },
	{ F_SETFL, ARG_FLAGS(arg_names_open), NULL },
	{ F_SETOWN, ARG_FUNC(arg_long_text), NULL },
	{ F_GETOWN, NULL, ARG_FUNC(arg_int_text) },
	{ F_SETSIG, ARG_FUNC(arg_sig_text), NULL },
	{ F_GETSIG, NULL, ARG_FUNC(arg_sig_text) },
	{ F_SETLEASE, ARG_ENUM(lease_names), NULL },
	{ F_GETLEASE, NULL, ARG_ENUM(lease_names) },
	{ F_NOTIFY, ARG_FLAGS(notify_names), NULL },
	{ F_SETPIPE_SZ, ARG_FUNC(arg_long_text), NULL },
	{ F_GETPIPE_SZ, NULL, NULL },
	{ F_ADD_SEALS, ARG_FLAGS(seal_names), NULL },
	{ F_GET_SEALS, NULL, ARG_FLAGS(seal_names) },
	{ F_DUPFD_QUERY, ARG_FUNC(arg_fd_text), NULL },
	{ F_CREATED_QUERY, NULL, NULL },
};

static const struct fcntl_cmd *
fcntl_cmd(const struct arg_call *ac)
{
	uint64_t cmd = arg_value(ac, 1);
	size_t i;

	for (i = 0; i < sizeof(fcntl_cmds) / sizeof(fcntl_cmds[0]); i++) {
		if (fcntl_cmds[i].fc_cmd == cmd)
			return &fcntl_cmds[i];
	}
	return NULL;
}

void
arg_fcntl_arg_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct fcntl_cmd *fc = fcntl_cmd(ac);

	(void)ak;
	if (fc != NULL && fc->fc_arg != NULL)
		fc->fc_arg->ak_text(b, ac, argn, v, fc->fc_arg);
	else
		arg_put_ptr(b, v);
}

/* Flags have their number in front: 0x1 (flags FD_CLOEXEC), as strace. */
static void
fcntl_ret_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct fcntl_cmd *fc = NULL;

	(void)ak;
	if (ac->ac_entry != NULL)
		fc = fcntl_cmd(ac);
	if (fc == NULL || fc->fc_ret == NULL)
		buf_s64(b, (int64_t)v);
	else if (fc->fc_ret->ak_text != arg_flags_text)
		fc->fc_ret->ak_text(b, ac, argn, v, fc->fc_ret);
	else if (v == 0 && fc->fc_cmd != F_GETFL)
		buf_c(b, '0');
	else {
		buf_hex(b, v);
		buf_str(b, fc->fc_cmd == F_GET_SEALS ? " (seals " : " (flags ");
		fc->fc_ret->ak_text(b, ac, argn, v, fc->fc_ret);
		buf_c(b, ')');
	}
}

static int
fcntl_shown(const struct arg_call *ac, unsigned int argn)
{
	const struct fcntl_cmd *fc;

	return argn != 2 || (fc = fcntl_cmd(ac)) == NULL || fc->fc_arg != NULL;
}

static const struct arg_row fcntl_rows[] = {
	{ "fcntl", "cmd", NULL, ARG_ENUM(cmd_names) },
	{ "fcntl", "arg", NULL, ARG_FUNC(arg_fcntl_arg_text) },
	{ "fcntl", "=", NULL, ARG_FUNC(fcntl_ret_text) },
};

static const struct arg_show fcntl_shows[] = { { "fcntl", fcntl_shown } };

const struct arg_table arg_table_fcntl = ARG_TABLE_SHOW(fcntl_rows,
    fcntl_shows);
