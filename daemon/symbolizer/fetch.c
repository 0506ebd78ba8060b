/* SPDX-License-Identifier: ISC */
/*
 * debuginfod-find, see fetch.h.  It speaks with a server, so it is another user
 * than dtd where dtd may change that, has no capability, and ends by itself
 * after a while, or with who started it.  It is a program as any other, for
 * which there is no filter of system calls.
 */
#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cage.h"
#include "fetch.h"

#define FETCH_SECONDS 120

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

	cage_drop();
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
