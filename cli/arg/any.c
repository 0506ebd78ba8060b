/* SPDX-License-Identifier: ISC */
/*
 * What the name or the type of an argument tells, whichever call has it: the
 * last table that is asked.
 */
#include "kind.h"

static const struct arg_row any_rows[] = {
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
};

const struct arg_table arg_table_any = ARG_TABLE(any_rows);
