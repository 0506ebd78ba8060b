/* SPDX-License-Identifier: ISC */
/*
 * sym_burn [MSECS [FILE]]
 *
 * The plain program, which is built in many ways: PIE and non-PIE, static,
 * stripped.  With FILE its own file is replaced by FILE before it burns; with
 * "-" its file is deleted.
 */
#include <err.h>
#include <limits.h>
#include <unistd.h>

#include "tests/run/prog/sym/burn.h"

#ifndef CHAIN
#define CHAIN burn
#endif
/* CHAIN must be expanded before the others use it. */
#define DEFINE(name) BURN_CHAIN(name)
#define TELL(name)   BURN_TELL(name)
#define TOP(name)    TOP_OF(name)
#define TOP_OF(name) name##_top

DEFINE(CHAIN)

static void
lose_file(const char *file)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n == -1)
		err(1, "/proc/self/exe");
	path[n] = '\0';
	if (file[0] == '-' ? unlink(path) : rename(file, path))
		err(1, "%s", path);
}

int
main(int argc, char **argv)
{
	if (argc > 2)
		lose_file(argv[2]);
	burn_for(TOP(CHAIN), burn_arg(argc, argv));
	TELL(CHAIN);
	return 0;
}
