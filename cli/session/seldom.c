/* SPDX-License-Identifier: ISC */
/*
 * System calls whose function of the C library makes another one.  A recording
 * of these alone usually remains empty.
 */
#include <string.h>

#include "cli/session/seldom.h"

static const struct {
	const char *func, *use;
} seldom_calls[] = {
	{ "creat", "openat" },
	{ "exit", "exit_group" },
	{ "fork", "clone" },
	{ "getdents", "getdents64" },
	{ "lstat", "newfstatat" },
	{ "nanosleep", "clock_nanosleep" },
	{ "open", "openat" },
	{ "select", "pselect6" },
	{ "stat", "newfstatat" },
};

/* Returns whether a pattern is of a system call's probes. */
static int
seldom_isof(const char *pattern, const char *func)
{
	size_t prov = strlen("syscall:"), len = strlen(func);

	return strncmp(pattern, "syscall:", prov) == 0 &&
	    strncmp(pattern + prov, func, len) == 0 &&
	    (pattern[prov + len] == ':' || pattern[prov + len] == '\0');
}

void
seldom_text(struct buf *b, const struct opts *o)
{
	size_t i, n = sizeof(seldom_calls) / sizeof(seldom_calls[0]);
	unsigned int a;

	for (a = 0; a < o->o_nargs; a++)
		for (i = 0; i < n; i++)
			if (seldom_isof(o->o_args[a], seldom_calls[i].func))
				buf_printf(b,
				    "dt: most programs call %s in place of "
				    "%s: try syscall:%s\n",
				    seldom_calls[i].use, seldom_calls[i].func,
				    seldom_calls[i].use);
}
