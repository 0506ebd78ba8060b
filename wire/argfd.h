/* SPDX-License-Identifier: ISC */
/*
 * Recognizes descriptors among arguments by the kernel's names and types.  dtd
 * uses it to read the paths of descriptors at system calls, dt to print them
 * for all functions.  Does not use any table of calls.
 */
#ifndef WIRE_ARGFD_H
#define WIRE_ARGFD_H

#include <stddef.h>
#include <string.h>

/* Suffixes of the names of descriptors, and exceptions. */
static const char *const argfd_ends[] = { "fd", "fdin", "fdout", "fd_in",
	"fd_out", "fildes", "mqdes" };
static const char *const argfd_nots[] = { "max_fd" };

static inline int
argfd_hasend(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);

	return len >= n && strcmp(s + len - n, end) == 0;
}

static inline int
argfd_is(const char *name, const char *type)
{
	size_t i;

	if (strchr(type, '*') != NULL)
		return 0;
	for (i = 0; i < sizeof(argfd_nots) / sizeof(argfd_nots[0]); i++) {
		if (strcmp(name, argfd_nots[i]) == 0)
			return 0;
	}
	for (i = 0; i < sizeof(argfd_ends) / sizeof(argfd_ends[0]); i++) {
		if (argfd_hasend(name, argfd_ends[i]))
			return 1;
	}
	return 0;
}

/*
 * Returns whether an argument is the directory descriptor of a path, provided
 * that the next argument is a path. execveat(2) calls it "fd", which is another
 * kind of descriptor in other calls, for example inotify_add_watch(2).
 */
static inline int
argfd_isdir(const char *func, const char *name)
{
	return argfd_hasend(name, "dfd") ||
	    (strcmp(name, "fd") == 0 && strcmp(func, "execveat") == 0);
}

#endif /* WIRE_ARGFD_H */
