/* SPDX-License-Identifier: ISC */
/*
 * sym_exec [MSECS]
 *
 * Works, then executes another program (sym_after, the same source at the same
 * addresses, since neither is position independent), which works under other
 * symbols.
 */
#include <err.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/sym/burn.h"

#ifdef AFTER
BURN_CHAIN(after)
#define TOP    after_top
#define TELL() BURN_TELL(after)
#else
BURN_CHAIN(before)
#define TOP    before_top
#define TELL() BURN_TELL(before)
#endif

static void
go_on(const char *msecs)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);

	path[n > 0 ? n : 0] = '\0';
	strcpy(strrchr(path, '/'), "/sym_after");
	/* keeps the name, by which samples are selected */
	execl(path, "sym_exec", msecs, "-", (char *)NULL);
	err(1, "%s", path);
}

int
main(int argc, char **argv)
{
	char half[24];

	/* continues the CPU time */
	burn_for(TOP, burn_arg(argc, argv) / 2);
	TELL();
	if (argc < 3) {
		snprintf(half, sizeof(half), "%ld", burn_arg(argc, argv));
		go_on(half);
	}
	return 0;
}
