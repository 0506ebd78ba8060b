/* SPDX-License-Identifier: ISC */
/*
 * Finds descriptors among arguments, by the ends of their names.
 */
#include <stddef.h>
#include <string.h>

#include "argfd.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* Ends of names of descriptors, and names that only look so. */
static const char *const argfd_ends[] = { "fd", "fdin", "fdout", "fd_in",
	"fd_out", "fildes", "mqdes" };
static const char *const argfd_nots[] = { "max_fd" };

static int
argfd_hasend(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);

	return len >= n && strcmp(s + len - n, end) == 0;
}

int
argfd_is(const char *name, const char *type)
{
	size_t i;

	if (strchr(type, '*') != NULL)
		return 0;
	for (i = 0; i < N(argfd_nots); i++) {
		if (strcmp(name, argfd_nots[i]) == 0)
			return 0;
	}
	for (i = 0; i < N(argfd_ends); i++) {
		if (argfd_hasend(name, argfd_ends[i]))
			return 1;
	}
	return 0;
}

/* execveat(2) calls it "fd", which for other calls (inotify_add_watch) is
 * something else. */
int
argfd_isdir(const char *func, const char *name)
{
	return argfd_hasend(name, "dfd") ||
	    (strcmp(name, "fd") == 0 && strcmp(func, "execveat") == 0);
}
