/* SPDX-License-Identifier: ISC */
/*
 * Runs debuginfod-find. It connects to a server, so it runs as another user if
 * dtd may change that, without capabilities, and exits after a time limit or
 * with its parent. It is a foreign program, so
 * there is no filter of system calls.
 */
#include <err.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "symbolizer/debuginfod.h"
#include "symbolizer/sandbox.h"

#define FETCH_SECONDS 120
#define CLEAR_SECONDS 30
#define CLEAR_FDS     8 /* maximum depth of folders */

static void
limit_to(int what, rlim_t max)
{
	struct rlimit rl = { max, max };

	if (setrlimit(what, &rl) == -1)
		err(1, "setrlimit");
}

void
fetch_exec(const char *id, const char *nbytes)
{
	static const char *const places[] = { "/usr/bin/debuginfod-find",
		"/usr/local/bin/debuginfod-find" };
	unsigned int i;

	cage_drop(CAGE_NOBODY, CAGE_NOBODY);
	limit_to(RLIMIT_FSIZE, strtoull(nbytes, NULL, 10));
	limit_to(RLIMIT_CORE, 0);
	limit_to(RLIMIT_DATA, 512 << 20);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1)
		err(1, "prctl");
	(void)alarm(FETCH_SECONDS);
	for (i = 0; i < sizeof(places) / sizeof(*places); i++)
		(void)execl(places[i], "debuginfod-find", "debuginfo", id,
		    (char *)NULL);
	_exit(127);
}

static int
clear_one(const char *path, const struct stat *st __attribute__((unused)),
    int kind __attribute__((unused)), struct FTW *ftw)
{
	if (ftw->level > 0)
		(void)remove(path);
	return 0;
}

void
fetch_clear(void)
{
	cage_drop(CAGE_NOBODY, CAGE_NOBODY);
	(void)alarm(CLEAR_SECONDS);
	(void)nftw(".", clear_one, CLEAR_FDS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	_exit(0);
}
