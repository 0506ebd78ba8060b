/* SPDX-License-Identifier: ISC */
/*
 * limits nofile|memory|memlock|queue
 *
 * A daemon at limits of the kernel.  A client that uses every request gets an
 * errno and a sentence at the failing step; nothing is left, and after the
 * limit is raised the next client is served.
 *
 * nofile	no free descriptor, one, two, ... (RLIMIT_NOFILE), until there
 *		are enough; from the start, and after open
 * memory	the same with memory (RLIMIT_AS), in steps of 16 kB
 * memlock	RLIMIT_MEMLOCK 0 from the start has no effect
 * queue	clients that connect while there is no free descriptor all get
 *		an error, and the daemon does not spin
 */
#include <sys/resource.h>
#include <sys/time.h>

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/daemon.h"
#include "tests/run/prog/prog.h"
#include "tests/run/prog/raw.h"
#include "tests/run/prog/seq.h"

#define MAXTRIES    500
#define MEMORY_STEP (16UL << 10) /* bytes */
#define NCLIENTS    40

/* Lowers a limit of the daemon, or restores it. */
static void
limit(__rlimit_resource_t what, rlim_t n, int lift)
{
	static struct rlimit before;
	struct rlimit rl = { .rlim_cur = n };

	if (!lift && prlimit(pd->pd_pid, what, NULL, &before) == -1)
		err(1, "prlimit");
	rl.rlim_max = before.rlim_max;
	if (prlimit(pd->pd_pid, what, lift ? &before : &rl, NULL) == -1)
		err(1, "prlimit");
}

/* Returns the limit that leaves the daemon n free descriptors. */
static rlim_t
nofile_for(long more)
{
	char path[64];
	rlim_t n;

	for (n = 0;; n++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pd->pd_pid,
		    (int)n);
		if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		if (more-- == 0)
			return n;
	}
}

static rlim_t
memory_for(long more)
{
	unsigned long kb = 0;
	char line[128];
	FILE *f;

	prog_proc(line, sizeof(line), pd->pd_pid, "status");
	if ((f = fopen(line, "re")) == NULL)
		err(1, "%s", line);
	while (fgets(line, sizeof(line), f) != NULL &&
	    sscanf(line, "VmSize: %lu", &kb) != 1)
		continue;
	fclose(f);
	return (kb << 10) + more * MEMORY_STEP;
}

/* Checks that the error names the missing resource. */
static int
told(const struct seq *sq, enum step step, int error)
{
	const char *text = dt_error(sq->sq_dt);
	int nofile = strcmp(sq->sq_what, "nofile") == 0;

	printf("%s %lld: %s: %s: %s\n", sq->sq_what, (long long)sq->sq_nth,
	    steps[step], strerrorname_np(error), text);
	if (error != (nofile ? EMFILE : ENOMEM) ||
	    strcmp(text, strerror(error)) == 0)
		errx(1, "it does not tell what lacks");
	return 0;
}

static __rlimit_resource_t resource;

static void
limit_now(const struct seq *sq)
{
	limit(resource,
	    resource == RLIMIT_NOFILE ? nofile_for(sq->sq_nth)
				      : memory_for(sq->sq_nth),
	    0);
}

/* Makes one attempt.  Returns whether the limit was sufficient. */
static int
try_with(const char *what, long more, int opened)
{
	struct seq sq = { .sq_what = what,
		.sq_nth = more,
		.sq_failure = told,
		.sq_probe = "syscall:getppid:entry",
		.sq_call = SYS_getppid };
	int i, nfailed = 0;

	if (opened)
		sq.sq_opened = limit_now;
	else
		limit_now(&sq);
	run_seq(&sq, 0);
	prog_wait(all_closed, NULL, "the end of a client");
	limit(resource, 0, 1);
	expect_as_before(what, more);
	run_clean();
	expect_as_before(what, more);
	for (i = 0; i < NSTEPS; i++)
		nfailed += sq.sq_failed[i];
	return nfailed == 0;
}

static void
limits_try(const char *what, __rlimit_resource_t res)
{
	struct prog_dtd dtd;
	int opened;
	long more;

	resource = res;
	seq_start(&dtd, 1);
	for (opened = 0; opened < 2; opened++) {
		for (more = 0; !try_with(what, more, opened); more++)
			if (more == MAXTRIES)
				errx(1, "%s: there is no end", what);
		printf("%s: %ld is not enough, %ld is\n", what, more - 1, more);
		if (more < 3)
			errx(1, "nothing was tested");
	}
	prog_dtd_stop(&dtd);
}

static void
limits_memlock(void)
{
	const struct rlimit none = { 0, 0 };
	char line[256], want[] = "Max locked memory";
	struct prog_dtd dtd;
	int found = 0;
	FILE *f;

	if (setrlimit(RLIMIT_MEMLOCK, &none) == -1) /* the daemon inherits */
		err(1, "RLIMIT_MEMLOCK");
	seq_start(&dtd, 1); /* records, and reads the events */
	run_clean();
	prog_proc(line, sizeof(line), dtd.pd_pid, "limits");
	if ((f = fopen(line, "re")) == NULL)
		err(1, "%s", line);
	while (fgets(line, sizeof(line), f) != NULL)
		found += strncmp(line, want, sizeof(want) - 1) == 0 &&
		    strtoul(line + sizeof(want), NULL, 10) == 0;
	fclose(f);
	if (!found)
		errx(1, "the daemon's limit is not 0 any more");
	prog_dtd_stop(&dtd);
}

/* They connect at once, and wait in the queue of the socket. */
static void
limits_queue(void)
{
	static struct raw rw[NCLIENTS];
	struct prog_dtd dtd;
	double busy;
	int i;

	seq_start(&dtd, 1);
	limit(RLIMIT_NOFILE, nofile_for(0), 0);
	for (i = 0; i < NCLIENTS; i++)
		if (raw_connect(&rw[i], pd->pd_sock) != 0)
			errx(1, "client %d cannot connect", i);
	for (i = 0; i < NCLIENTS; i++) {
		raw_send_open(&rw[i]);
		if (raw_reply(&rw[i]) != EMFILE || rw[i].rw_hdr.wh_length == 0)
			errx(1, "client %d is not told", i);
		raw_close(&rw[i]);
	}
	busy = daemon_busy(pd);
	printf("queue: %d clients told, then the daemon uses %.0f %% of a "
	       "CPU\n",
	    NCLIENTS, busy);
	if (busy > 30)
		errx(1, "the daemon spins");
	limit(RLIMIT_NOFILE, 0, 1);
	run_clean();
	expect_as_before("queue", NCLIENTS);
	prog_dtd_stop(&dtd);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	prog_init("limits", 1200);
	if (strcmp(what, "nofile") == 0)
		limits_try(what, RLIMIT_NOFILE);
	else if (strcmp(what, "memory") == 0)
		limits_try(what, RLIMIT_AS);
	else if (strcmp(what, "memlock") == 0)
		limits_memlock();
	else if (strcmp(what, "queue") == 0)
		limits_queue();
	else
		errx(2, "usage: limits nofile|memory|memlock|queue");
	printf("limits %s: nothing is left\n", what);
	return 0;
}
