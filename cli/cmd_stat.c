/* SPDX-License-Identifier: ISC */
/*
 * dt stat: counts events by probe and process, or by other keys.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "session.h"
#include "tally.h"

#define STAT_BUDGET (1 << 20) /* small events, read at once */

struct stat {
	struct session st_session;
	struct tally st_tally;
};

static int
stat_event(void *arg, const struct dt_event *ev)
{
	struct stat *st = arg;

	tally_event(&st->st_tally, ev);
	return 0;
}

static void
stat_print(void *arg, uint64_t nsecs)
{
	struct stat *st = arg;

	tally_print(&st->st_tally, &st->st_session.ss_out, nsecs,
	    st->st_session.ss_opts->o_interval != 0);
}

/* Tells by of the probes that a pattern means; one that means none is
 * session_enable()'s affair, as are clocks, which have no arguments. */
static void
stat_learn(struct session *ss, struct by *by, const char *pattern)
{
	struct dtioc_probe_info *pi;
	const struct probe *pr;
	ssize_t i, n;

	if ((n = dt_lookup(ss->ss_dt, pattern, &pi)) == -1)
		return;
	for (i = 0; i < n; i++) {
		if ((pr = names_probe(&ss->ss_names, pi[i].dtpi_pbn)) != NULL)
			by_learn(by, pr);
	}
	free(pi);
}

static int
stat_run(struct opts *opts)
{
	struct session_ops ops = {
		.so_budget = STAT_BUDGET,
		.so_event = stat_event,
		.so_interval = stat_print,
	};
	struct stat *st = calloc(1, sizeof(*st));
	struct session *ss;
	struct by *by;
	unsigned int i;
	int status;
	char why[1024];

	if (st == NULL)
		err(1, NULL);
	ss = &st->st_session;
	session_open(ss, opts, &ops, st);
	by = by_alloc(opts->o_by, opts->o_sum, &ss->ss_names, why, sizeof(why));
	if (by == NULL)
		errx(1, "%s", why);
	for (i = 0; i < opts->o_nargs && by_wants_probes(by); i++)
		stat_learn(ss, by, opts->o_args[i]);
	ops.so_evtflags = by_evtflags(by);
	tally_init(&st->st_tally, by, opts->o_maxkeys);
	for (i = 0; i < opts->o_nargs; i++)
		session_enable(ss, opts->o_args[i]);
	if (by_check(by, why, sizeof(why)) == -1)
		errx(1, "%s", why);
	session_run(ss);
	tally_free(&st->st_tally);
	status = session_end(ss);
	free(st);
	return status;
}

static const char *
stat_set_interval(struct opts *o, const char *arg)
{
	if (opts_nsecs(arg, &o->o_interval) == -1 || o->o_interval < 1000000)
		return "should be seconds, 0.001 or more";
	return NULL;
}

static const struct opt stat_opts[] = {
	{ 0, "by", "KEY,KEY", opts_set_by,
	    "count by these, as comm,errno (probe,pid,comm)" },
	{ 0, "sum", "ARG", opts_set_sum, "add up an argument, or retval, too" },
	{ 0, "top", "N", opts_set_top, "print so many rows" },
	{ 0, "max-keys", "N", opts_set_maxkeys,
	    "room for so many rows (1000000)" },
	{ 'i', "interval", "SECONDS", stat_set_interval,
	    "print the counts of each such time, as 1 or 0.5" },
	{ 'F', "freq", "HZ", opts_set_hz, "rate of clock probes" }, { 0 }
};

const struct cmd cmd_stat = {
	.cmd_name = "stat",
	.cmd_args = "[--by KEY,KEY] [--sum ARG] [-i SECONDS] PROBE ... "
		    "[-- COMMAND]",
	.cmd_what = "count events by probe and process, or other keys",
	.cmd_run = stat_run,
	.cmd_opts = stat_opts,
	.cmd_flags = CMD_RECORDS | CMD_PROBES | CMD_NEEDS,
	.cmd_examples =
	    "  # the system calls of a command\n"
	    "  dt stat 'syscall:*:entry' -- ls\n"
	    "  # who opens files, for a second\n"
	    "  dt stat -d 1 syscall:openat:entry\n"
	    "  # who makes system calls, each second for three seconds\n"
	    "  dt stat -i 1 -d 3 'syscall:*:entry'\n"
	    "  # which calls fail, and how\n"
	    "  dt stat --by probe,errno 'syscall:*:return' -- ls\n"
	    "  # how much each process reads\n"
	    "  dt stat -d 1 --by comm --sum retval syscall:read:return\n",
};
