/* SPDX-License-Identifier: ISC */
/* dt top: a screen of what processes, calls, functions and files do and cost. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opts/cmd.h"
#include "cli/top/top_hosts.h"

#define TOP_INTERVAL 1000000000 /* ns, default of -d */

struct top_opts {
	struct opts too_common;
	uint64_t too_nsecs;			/* -d */
	uint64_t too_count;			/* -n */
	int too_isbatch;			/* -b */
	const char *too_sort;			/* --sort */
	const struct top_view *too_view;	/* --view */
	const char *too_call;			/* --call */
	const char *too_pids[OPTS_MAXPIDS + 1]; /* -p, ended by NULL */
	unsigned int too_npids;
};

/* Returns the column of this name, or -1. */
static int
top_column(const struct top_view *v, const char *name)
{
	unsigned int i;

	for (i = 0; i < TOP_NCOLUMNS; i++)
		if (v->tov_columns[i].toc_kind != TOP_NONE &&
		    strcasecmp(v->tov_columns[i].toc_name, name) == 0)
			return i;
	return -1;
}

static const struct top_view *
top_first_view(const struct top_opts *to)
{
	if (to->too_call != NULL)
		return &top_callers;
	return to->too_view != NULL ? to->too_view : &top_processes;
}

static int
top_run(struct opts *opts)
{
	const struct top_opts *to = (struct top_opts *)opts;
	struct top_run *tp = calloc(1, sizeof(*tp));
	struct top_scope *sc;
	int status, error;

	if (tp == NULL)
		err(1, NULL);
	tp->top_opts = opts;
	tp->top_nsecs = to->too_nsecs != 0 ? to->too_nsecs : TOP_INTERVAL;
	sc = top_scope(tp);
	sc->tsc_view = top_first_view(to);
	sc->tsc_sort = to->too_sort != NULL
	    ? (unsigned int)top_column(sc->tsc_view, to->too_sort)
	    : sc->tsc_view->tov_sort;
	if (to->too_call != NULL)
		snprintf(sc->tsc_filter.tof_call,
		    sizeof(sc->tsc_filter.tof_call), "%s", to->too_call);
	if (to->too_call != NULL || opts->o_select.ose_cgroup != NULL)
		snprintf(sc->tsc_title, sizeof(sc->tsc_title), "%.60s",
		    to->too_call != NULL ? to->too_call
					 : opts->o_select.ose_cgroup);
	if (opts->o_hosts.ohs_names != NULL)
		top_hosts_begin(tp, to->too_pids, opts->o_select.ose_cgroup);
	top_begin(tp, opts);
	(to->too_isbatch ? top_batch : top_interact)(tp, to->too_count);
	status = top_end(tp);
	error = tp->top_error;
	free(tp->top_rows);
	free(tp);
	if (error != 0)
		errx(1, "output: %s", strerror(error));
	return status;
}

static const char *
top_set_view(struct opts *o, const char *arg)
{
	const struct top_view *const *v;

	for (v = top_views; *v != NULL; v++)
		if (strcmp((*v)->tov_name, arg) == 0) {
			((struct top_opts *)o)->too_view = *v;
			return NULL;
		}
	return "should be processes, threads, calls, functions, files, disks, "
	       "cgroups or stacks";
}

/* Also keeps the text, for other machines. */
static const char *
top_set_pids(struct opts *o, const char *arg)
{
	struct top_opts *to = (struct top_opts *)o;

	if (to->too_npids == OPTS_MAXPIDS)
		return "is more than 8 options; processes may have commas "
		       "between";
	to->too_pids[to->too_npids++] = arg;
	return opts_set_pids(o, arg);
}

static const char *
top_check_call(struct opts *o, const char *arg)
{
	(void)o;
	return *arg == '\0' || strlen(arg) >= DTNAMESIZE ||
		strpbrk(arg, ":*?[") != NULL
	    ? "should be the name of a system call, for example openat"
	    : NULL;
}

/* Checks what depends on several options. */
static const char *
top_check(const struct opts *o)
{
	const struct top_opts *to = (const struct top_opts *)o;
	const struct top_view *v = top_first_view(to);

	if (to->too_call != NULL && to->too_view != NULL)
		return "--call selects a view; it excludes --view";
	/* names may be of processes on other machines */
	if (v->tov_isofpid && to->too_npids == 0)
		return "--view stacks needs a process (-p)";
	if (to->too_sort != NULL && top_column(v, to->too_sort) == -1)
		return "--sort should be the heading of a column of this view, "
		       "for example %CPU";
	return NULL;
}

static const struct opt top_opts[] = {
	OPT_GROUP("View"),
	{ 0, "view", "NAME", "begin with this view, for example calls or files",
	    OPT_CALL, .opt_check = top_set_view },
	{ 0, "sort", "COLUMN", "sort by this column, for example READ/s",
	    OPT_STRING, OPT_OF(struct top_opts, too_sort) },
	{ 0, "call", "NAME", "show which processes make this system call",
	    OPT_STRING, OPT_OF(struct top_opts, too_call),
	    .opt_check = top_check_call },
	{ 'p', "pid", "PROCESS",
	    "show these processes only: 123, or 1,2, or sshd", OPT_CALL,
	    .opt_check = top_set_pids },
	{ 0, "cgroup", "NAME",
	    "show this cgroup only: a path, unit or container", OPT_STRING,
	    OPT(o_select.ose_cgroup) },
	OPT_ROW_FLAG("self", "include dt's own processes", o_whose.owh_self),
	OPT_ROW_NOLIMIT,
	OPT_GROUP("Output"),
	{ 'd', "delay", "TIME", "refresh every TIME (default 1s)", OPT_TIME,
	    OPT_OF(struct top_opts, too_nsecs), 100000000, 0,
	    "should be a time of 100ms or more" },
	{ 'n', "count", "N", "stop after N refreshes", OPT_NUMBER,
	    OPT_OF(struct top_opts, too_count), 1 },
	{ 'b', "batch", NULL, "print text, for a pipe or a file", OPT_FLAG,
	    OPT_OF(struct top_opts, too_isbatch) },
	{ 0, "socket", "PATH", "connect to dtd at this socket", OPT_STRING,
	    OPT(o_socket) },
	{ 0 },
};

const struct cmd cmd_top = {
	.cmd_name = "top",
	.cmd_args = "[--view NAME] [-p PID] [-d TIME] [-b] [-n N]",
	.cmd_what = "show what processes, calls and files do and cost, on a "
		    "screen",
	.cmd_run = top_run,
	.cmd_size = sizeof(struct top_opts),
	.cmd_opts = top_opts,
	.cmd_flags = CMD_HOSTS | CMD_OWNHOSTS,
	.cmd_check = top_check,
	.cmd_examples =
	    "  # print the processes of a second, as text\n"
	    "  dt top -b -n 1\n"
	    "  # print the files that are read and written, for two seconds\n"
	    "  dt top -b -n 2 --view files\n"
	    "  # print which system calls a process makes\n"
	    "  dt top -b -n 1 --view calls -p 1\n",
};
