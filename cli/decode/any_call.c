/* SPDX-License-Identifier: ISC */
/*
 * Kinds by the name or the type of an argument, for all calls: the last table
 * that is searched.
 */
#include "cli/decode/kind.h"

static const struct arg_row any_rows[] = {
	{ "*", "pidfd", NULL, ARG_FUNC(arg_fd_text) },
	{ "*", "oldfd", NULL, ARG_FUNC(arg_fd_text) },
	{ "*", "*dfd", NULL, ARG_FUNC(arg_dirfd_text) },
	{ "*", "*fd", "int", ARG_FUNC(arg_fd_text) },
	{ "*", "*fd", "unsigned int", ARG_FUNC(arg_fd_text) },
	{ "*", "*fd", "const int", ARG_FUNC(arg_fd_text) },
	{ "*", "fd", NULL, ARG_FUNC(arg_fd_text) },
	{ "*", "fildes", "unsigned int", ARG_FUNC(arg_fd_text) },
	{ "*", "mqdes", NULL, ARG_FUNC(arg_fd_text) },
	{ "*", "argv", NULL, ARG_FUNC(arg_argv_text) },
	{ "*", "*", "char *", ARG_FUNC(arg_str_text) },
	{ "*", "*", "const char *", ARG_FUNC(arg_str_text) },
	{ "*", "*", "**", ARG_FUNC(arg_ptr_text) },
	{ "*", "*", "umode_t", ARG_FUNC(arg_mode_text) },
	{ "*", "*", "uid_t", ARG_FUNC(arg_uid_text) },
	{ "*", "*", "gid_t", ARG_FUNC(arg_uid_text) },
	{ "*", "*", "cap_user_header_t", ARG_FUNC(arg_ptr_text) },
	{ "*", "*", "*cap_user_data_t", ARG_FUNC(arg_ptr_text) },
	{ "*", "*", "aio_context_t", ARG_FUNC(arg_ptr_text) },
	{ "*", "*", "* *const", ARG_FUNC(arg_ptr_text) },
	{ "*", "*addr", "unsigned long", ARG_FUNC(arg_ptr_text) },
	{ "*", "start", "unsigned long", ARG_FUNC(arg_ptr_text) },
	{ "*", "brk", "unsigned long", ARG_FUNC(arg_ptr_text) },
	{ "*", "newsp", "unsigned long", ARG_FUNC(arg_ptr_text) },
	{ "*", "tls", "unsigned long", ARG_FUNC(arg_ptr_text) },
	{ "*", "entry", "unsigned long", ARG_FUNC(arg_ptr_text) },
	{ "*", "*flags", "unsigned long", ARG_FUNC(arg_hex_text) },
	{ "*", "*flags", "*int", ARG_FUNC(arg_hex_text) },
	{ "*", "*flags", "unsigned", ARG_FUNC(arg_hex_text) },
	{ "*", "*flags", "*u32", ARG_FUNC(arg_hex_text) },
	{ "mmap mmap2 brk mremap shmat", "=", NULL, ARG_FUNC(arg_hex_text) },
};

const struct arg_table arg_table_any_call = ARG_TABLE(any_rows);
