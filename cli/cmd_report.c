/* SPDX-License-Identifier: ISC */
/*
 * dt report: prints a recording as dt record would have printed its events, or
 * as stat and profile would have counted them, and a run of dt kcov as dt kcov
 * would have.  The file is untrusted:
 * block_read.c checks its structure, dt_decode() the inside of a record, and
 * esc.c escapes its names for the terminal.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/kcov/kcov.h"
#include "cli/opts/cmd.h"
#include "cli/out/columns.h"
#include "cli/recording/report.h"
#include "cli/sym/rec_symbols.h"

static ssize_t
report_read(void *arg, void *buf, size_t nbytes)
{
	return read(*(int *)arg, buf, nbytes);
}

/* A run of dt kcov, if the file is one. */
struct report_kcov {
	struct kcov_places rk_places;
	struct out_kcov rk_result;
};

/* Returns the error in the file, or NULL. */
static const char *
report_items_of(struct report *rp, struct report_kcov *rk, struct replay *r)
{
	struct block_item it;
	const char *bad;

	while (replay_next(r, &it) == 1) {
		if (it.bi_type == BLOCK_PLACE || it.bi_type == BLOCK_KCOV) {
			bad = rp->rpt_view == &report_views[VIEW_RECORD]
			    ? kcov_file_item(&rk->rk_places, &rk->rk_result,
				  &it)
			    : "is of dt kcov, and has no events";
			if (bad != NULL)
				return bad;
		} else if (report_item(rp, &it) == -1)
			return NULL; /* failure of the output */
	}
	return replay_damage(r);
}

static void
report_print_kcov(struct report *rp, struct report_kcov *rk,
    const struct opts *opts)
{
	struct out_kcov *ok = &rk->rk_result;

	if (rk->rk_places.kpl_n == 0 && !rk->rk_places.kpl_isend)
		return;
	ok->ok_n = kcov_sort(&rk->rk_places, opts);
	ok->ok_places = rk->rk_places.kpl_list;
	out_kcov(&rp->rpt_out, ok);
}

static int
report_open(const char *name)
{
	int fd;

	if (strcmp(name, "-") == 0)
		return STDIN_FILENO;
	if ((fd = open(name, O_RDONLY | O_CLOEXEC)) == -1)
		err(1, "%s", name);
	return fd;
}

static int
report_run(struct opts *opts)
{
	struct report rp = { 0 };
	struct report_kcov rk = { 0 };
	struct ledger_run lr = { .lr_isreport = 1 };
	struct replay *r;
	const char *bad;
	int error, fd;

	fd = report_open(opts->o_args[0]);
	r = replay_alloc(report_read, report_verify, &fd, &rp);
	names_init(&rp.rpt_names, NULL);
	rp.rpt_names.nm_umaps = rec_symbols_alloc(!opts->o_nolookup,
	    opts->o_symfs, opts->o_lines ? DT_SYM_LINES : 0);
	out_open(&rp.rpt_out, opts, &rp.rpt_names);
	rp.rpt_view = &report_views[opts->o_view];
	rp.rpt_view->rv_begin(&rp, opts);
	bad = report_items_of(&rp, &rk, r);
	rp.rpt_view->rv_end(&rp, opts);
	if (rp.rpt_trace != NULL) {
		lr.lr_filtered = calls_filtered(rp.rpt_trace);
		lr.lr_untold = calls_untold(rp.rpt_trace,
		    ledger_lost(&rp.rpt_ledger));
	}
	lr.lr_shown = rp.rpt_nevents - lr.lr_filtered;
	out_trace_close(&rp.rpt_out, rp.rpt_trace);
	lr.lr_late = rp.rpt_out.out_late;
	report_print_kcov(&rp, &rk, opts);
	if (rp.rpt_hasledger)
		out_ledger(&rp.rpt_out, &rp.rpt_ledger, &lr);
	if ((error = out_close(&rp.rpt_out)) != 0)
		errx(1, "output: %s", strerror(error));
	report_print_ledger(&rp, &lr);
	if (rk.rk_places.kpl_isend)
		kcov_account(&rk.rk_result);
	report_print_stop(&rp, opts->o_args[0]);
	if (bad != NULL)
		report_damage(opts->o_args[0], bad, replay_offset(r),
		    rp.rpt_nevents);
	replay_free(r);
	names_free(&rp.rpt_names);
	kcov_places_free(&rk.rk_places);
	if (bad != NULL)
		return 1;
	return opts->o_strict &&
		(ledger_lost(&rp.rpt_ledger) > 0 ||
		    kcov_lost(&rk.rk_result) > 0)
	    ? 3
	    : 0;
}

static const char *
report_set_nolookup(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_nolookup = 1;
	return NULL;
}

static const char *
report_set_symfs(struct opts *o, const char *arg)
{
	o->o_symfs = arg;
	return access(arg, X_OK) == -1 ? strerror(errno) : NULL;
}

static const char *
report_set_stat(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_view = VIEW_STAT;
	return NULL;
}

static const char *
report_set_profile(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_view = VIEW_PROFILE;
	return NULL;
}

/* Checks options that only one view has. */
static const char *
report_check(const struct opts *o)
{
	if (o->o_view != VIEW_STAT &&
	    (o->o_by != NULL || o->o_sum != NULL || o->o_maxkeys != 0 ||
		o->o_hist))
		return "--by, --sum, --hist and --max-keys need --stat";
	if (o->o_hist && o->o_sum == NULL)
		return "--hist needs --sum: what is counted, as duration";
	if (o->o_view != VIEW_PROFILE &&
	    (o->o_folded || o->o_idle || o->o_file != NULL))
		return "-f, -o and --idle need --profile";
	if (o->o_folded && o->o_file != NULL)
		return "-f is for stdout: with -o, FILE.folded";
	if (o->o_symfs != NULL && o->o_nolookup)
		return "--symfs and --no-lookup exclude each other";
	if (o->o_view == VIEW_STAT && o->o_lines)
		return "--lines goes not with --stat";
	if (o->o_view == VIEW_PROFILE && o->o_path != NULL)
		return "--path goes not with --profile";
	if (o->o_view != VIEW_RECORD && o->o_nojoin)
		return "--no-join goes neither with --stat nor with --profile";
	if (o->o_view == VIEW_RECORD && o->o_top != 0)
		return "--top needs --stat or --profile";
	if (o->o_view != VIEW_RECORD && o->o_columns != NULL)
		return "--columns goes neither with --stat nor with --profile";
	return NULL;
}

static const struct opt report_opts[] = { { 'j', "json", NULL, opts_set_json,
					      "print JSON, one object a line" },
	{ 0, "strict", NULL, opts_set_strict,
	    "exit with status 3 when events had been lost" },
	{ 0, "path", "PREFIX", opts_set_path,
	    "only calls with paths that begin so" },
	{ 0, "no-join", NULL, opts_set_nojoin,
	    "calls and their results apart, as they came" },
	{ 0, "columns", "LIST", columns_option,
	    "show these in front, as time,comm; or add: +uid" },
	{ 0, "no-lookup", NULL, report_set_nolookup,
	    "names of programs from the recording only, not from files here" },
	{ 0, "symfs", "DIR", report_set_symfs,
	    "look files up below DIR (local files of yours and of root)" },
	{ 0, "stat", NULL, report_set_stat, "count, as dt stat" },
	{ 0, "by", "KEY,KEY", opts_set_by,
	    "with --stat: by these, as comm,errno (probe,pid,comm)" },
	{ 0, "sum", "ARG", opts_set_sum,
	    "with --stat: add up an argument, retval or duration" },
	{ 0, "hist", NULL, opts_set_hist, "with --sum: how that is spread" },
	{ 0, "max-keys", "N", opts_set_maxkeys,
	    "with --stat: room for so many rows (1000000)" },
	{ 0, "profile", NULL, report_set_profile,
	    "functions and stacks, as dt profile" },
	{ 'f', "folded", NULL, opts_set_folded,
	    "with --profile: folded stacks, for flame graphs" },
	{ 'o', "output", "FILE", opts_set_drawing,
	    "with --profile: flame graph (.svg, .html), .folded, .pb.gz" },
	{ 0, "lines", NULL, opts_set_lines,
	    "with source lines and inlined functions" },
	{ 0, "idle", NULL, opts_set_idle,
	    "with --profile: do not leave out idle CPUs" },
	{ 0, "top", "N", opts_set_top,
	    "with --stat, --profile: so many rows, or stacks" },
	{ 0 } };

const struct cmd cmd_report = {
	.cmd_name = "report",
	.cmd_args = "[-j] [--stat | --profile] FILE.dt",
	.cmd_what = "print a recording, or count what is in it",
	.cmd_run = report_run,
	.cmd_opts = report_opts,
	.cmd_flags = CMD_FILE,
	.cmd_check = report_check,
	.cmd_examples = "  # first there must be a recording\n"
			"  dt record -o ls.dt 'syscall:*' -- ls\n"
			"  # its events\n"
			"  dt report ls.dt\n"
			"  # for programs\n"
			"  dt report -j ls.dt\n"
			"  # which calls failed, and how\n"
			"  dt report --stat --by probe,errno ls.dt\n"
			"  # where the stacks were\n"
			"  dt record -g -o lsg.dt syscall:openat:entry -- ls\n"
			"  dt report --profile lsg.dt\n",
};
