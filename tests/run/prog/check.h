/* SPDX-License-Identifier: ISC */
/* Prints a line for each check; a failed check ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libdt.h>

static inline void
check(int ok, const char *what)
{
	if (!ok)
		errx(1, "%s: not so (errno %s)", what, strerrorname_np(errno));
	printf("%s\n", what);
}

static inline const char *
check_name(int error)
{
	return error == 0 ? "0" : strerrorname_np(error);
}

/* Checks an errno, 0 for none. */
static inline void
same(int error, int wanted, const char *what)
{
	if (error != wanted)
		errx(1, "%s: %s, expected %s", what, check_name(error),
		    check_name(wanted));
	printf("%s: %s\n", what, check_name(error));
}

/* Checks the errno of a command. */
static inline void
want(struct dt *dt, unsigned long cmd, void *arg, int error, const char *what)
{
	same(dt_ioctl(dt, cmd, arg) == 0 ? 0 : errno, error, what);
}

#endif /* CHECK_H */
