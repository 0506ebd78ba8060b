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

#include "cli/base/file_sink.h"
#include "cli/kcov/kcov.h"
#include "cli/opts/cmd.h"
#include "cli/out/out_text_event.h"
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
	const struct kcov_opts ko = { .kco_common = *opts };
	struct out_kcov *ok = &rk->rk_result;

	if (rk->rk_places.kpl_n == 0 && !rk->rk_places.kpl_isend)
		return;
	ok->ok_n = kcov_sort(&rk->rk_places, &ko);
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

/* Returns whether -o writes the drawing of a profile. */
static int
report_draws(const struct report_opts *ro)
{
	return ro->rpo_view == VIEW_PROFILE || ro->rpo_view == VIEW_OFFCPU;
}

/* Prints a recording; returns the exit status. */
static int
report_file(const struct opts *opts)
{
	const struct report_opts *ro = (const struct report_opts *)opts;
	struct report rp = { 0 };
	struct report_kcov rk = { 0 };
	struct ledger_run lr = { .lr_isreport = 1 };
	struct file_sink sink;
	struct replay *r;
	const char *bad;
	int error, fd, isfile = opts->o_file.ofi_kind == FILE_TEXT;

	fd = report_open(opts->o_args[0]);
	r = replay_alloc(report_read, report_verify, &fd, &rp);
	name_cache_init(&rp.rpt_names, NULL);
	rp.rpt_names.nm_umaps = rec_symbols_alloc(!ro->rpo_nolookup,
	    ro->rpo_symfs, opts->o_print.opi_lines ? DT_SYM_LINES : 0);
	out_open(&rp.rpt_out, opts, &rp.rpt_names);
	out_page(&rp.rpt_out);
	if (isfile)
		out_file_begin(&rp.rpt_out, &sink);
	rp.rpt_opts = ro;
	rp.rpt_view = &report_views[ro->rpo_view];
	rp.rpt_view->rv_begin(&rp, ro);
	bad = report_items_of(&rp, &rk, r);
	rp.rpt_view->rv_end(&rp, ro);
	if (rp.rpt_trace != NULL) {
		lr.lr_filtered = calls_filtered(rp.rpt_trace);
		lr.lr_unknown = calls_unknown(rp.rpt_trace,
		    ledger_lost(&rp.rpt_ledger));
	}
	lr.lr_shown = rp.rpt_nevents - lr.lr_filtered;
	calls_close(rp.rpt_trace);
	lr.lr_late = rp.rpt_late;
	report_print_kcov(&rp, &rk, opts);
	if (rp.rpt_hasledger)
		out_ledger(&rp.rpt_out, &rp.rpt_ledger, &lr);
	error = out_close(&rp.rpt_out);
	if (error == 0 && isfile)
		error = out_file_end(&rp.rpt_out, &sink);
	if (error != 0)
		errx(1, "%s: %s",
		    opts->o_file.ofi_name != NULL ? opts->o_file.ofi_name
						  : "output",
		    strerror(error));
	report_print_ledger(&rp, &lr);
	if (rk.rk_places.kpl_isend)
		kcov_account(&rk.rk_result);
	report_print_stop(&rp, opts->o_args[0]);
	if (bad != NULL)
		report_damage(opts->o_args[0], bad, replay_offset(r),
		    rp.rpt_nread);
	replay_free(r);
	halves_free(&rp.rpt_halves);
	name_cache_free(&rp.rpt_names);
	kcov_places_free(&rk.rk_places);
	if (bad != NULL)
		return 1;
	return opts->o_strict &&
		(ledger_lost(&rp.rpt_ledger) > 0 ||
		    kcov_lost(&rk.rk_result) > 0)
	    ? 3
	    : 0;
}

static int
report_run(struct opts *opts)
{
	int error;

	if (!report_draws((const struct report_opts *)opts)) {
		if (opts->o_file.ofi_kind == FILE_SPEEDSCOPE)
			opts->o_print.opi_json = 1;
		opts->o_file.ofi_kind = FILE_TEXT;
	}
	if (!((const struct report_opts *)opts)->rpo_schema)
		return report_file(opts);
	if ((error = out_schema()) != 0)
		errx(1, "output: %s", strerror(error));
	return 0;
}

static const char *
report_check_symfs(struct opts *o, const char *arg)
{
	(void)o;
	return access(arg, X_OK) == -1 ? strerror(errno) : NULL;
}

/* .json means a drawing only with a view that draws. */
static const char *
report_check_output(struct opts *o, const char *arg)
{
	if (*arg == '\0' || strcmp(arg, "-") == 0)
		return "should be the name of a file; without -o, stdout is "
		       "used";
	if (opts_check_any(o, arg) != NULL)
		o->o_file.ofi_kind = FILE_DT; /* with a view that draws: none */
	else if (o->o_file.ofi_kind == FILE_DT)
		return "is the name of a recording, which dt report reads";
	return NULL;
}

/* Checks options of counts. */
static const char *
report_check_counts(const struct report_opts *ro)
{
	const struct count_opts *co = &ro->rpo_count;

	if (ro->rpo_view != VIEW_STAT &&
	    (co->cno_by != NULL || co->cno_maxkeys != 0 ||
		count_wants_value(co)))
		return "--by, --hist, --quantiles, --avg, --min, --max and "
		       "--max-keys need --stat";
	if (ro->rpo_view != VIEW_STAT && ro->rpo_view != VIEW_PROFILE &&
	    co->cno_sum != NULL)
		return "--sum needs --stat or --profile";
	if (count_wants_value(co) && co->cno_sum == NULL)
		return "--hist, --quantiles, --avg, --min and --max need "
		       "--sum, for example --sum duration";
	return NULL;
}

/* Checks options of profiles. */
static const char *
report_check_profile(const struct report_opts *ro)
{
	const struct opts *o = &ro->rpo_common;
	int isfile = o->o_file.ofi_name != NULL;
	int isprofile = report_draws(ro);

	if (!isprofile &&
	    (o->o_print.opi_folded ||
		(o->o_file.ofi_kind != FILE_DT &&
		    o->o_file.ofi_kind != FILE_TEXT &&
		    o->o_file.ofi_kind != FILE_SPEEDSCOPE)))
		return "-f and -o of a drawing need --profile or --offcpu";
	if (isprofile && isfile && o->o_file.ofi_kind == FILE_DT)
		return "-o of a profile should end in .folded (folded stacks), "
		       ".svg or .html (flame graph), .pb.gz (pprof), .json "
		       "(speedscope), .firefox.json (Firefox profiler) or .txt "
		       "(text)";
	if (ro->rpo_view != VIEW_PROFILE &&
	    (ro->rpo_idle || ro->rpo_on != NULL))
		return "--idle and --on need --profile";
	if (!isprofile && o->o_print.opi_calls != OPTS_CALLS)
		return "--tree and --stacks need --profile or --offcpu";
	if (o->o_print.opi_folded && isfile)
		return "-f prints to stdout; with -o, use FILE.folded";
	if (isprofile && o->o_select.ose_path != NULL)
		return "--path excludes --profile and --offcpu";
	return NULL;
}

/* Checks options that only one view has. */
static const char *
report_check(const struct opts *o)
{
	const struct report_opts *ro = (const struct report_opts *)o;
	const struct opts_print *pr = &o->o_print;
	const char *bad;

	if (ro->rpo_schema && o->o_nargs > 0)
		return "--schema takes no file";
	if (!ro->rpo_schema && o->o_nargs == 0)
		return "needs one file";
	if ((bad = report_check_counts(ro)) != NULL ||
	    (bad = report_check_profile(ro)) != NULL)
		return bad;
	if (ro->rpo_symfs != NULL && ro->rpo_nolookup)
		return "--symfs and --no-lookup exclude each other";
	if (ro->rpo_view == VIEW_STAT && pr->opi_lines)
		return "--lines and --stat exclude each other";
	if (ro->rpo_view != VIEW_RECORD && pr->opi_nojoin)
		return "--no-join excludes --stat, --profile and --offcpu";
	if (ro->rpo_view == VIEW_RECORD && pr->opi_top != 0)
		return "--top needs --stat, --profile or --offcpu";
	if (ro->rpo_view != VIEW_RECORD && pr->opi_columns != NULL)
		return "--columns excludes --stat, --profile and --offcpu";
	return NULL;
}

static const struct opt report_opts[] = {
	OPT_GROUP("Events"),
	{ 'p', "pid", "PROCESS",
	    "select events of these processes: 123, or 1,2, or sshd", OPT_CALL,
	    .opt_check = report_set_processes },
	{ 'd', "duration", "TIME",
	    "select events of the first TIME, for example 10 (seconds) or 5m",
	    OPT_TIME, OPT(o_duration) },
	OPT_ROW_PATH,
	OPT_ROW_NOJOIN,
	{ 0, "columns", "LIST", "print these columns: time,comm; or add: +uid",
	    OPT_STRING, OPT(o_print.opi_columns), .opt_check = columns_option },
	OPT_ROW_LINES("print source lines and inlined functions"),
	OPT_ROW_JSON,
	OPT_ROW_NOPAGER,
	{ 0, "schema", NULL, "print the JSON Schema of -j", OPT_FLAG,
	    OPT_OF(struct report_opts, rpo_schema) },
	OPT_ROW_STRICT("exit with status 3 if events were lost"),
	OPT_GROUP("Symbols"),
	{ 0, "no-lookup", NULL, "use only symbols from the recording", OPT_FLAG,
	    OPT_OF(struct report_opts, rpo_nolookup) },
	{ 0, "symfs", "DIR", "look up files below DIR, not in /", OPT_STRING,
	    OPT_OF(struct report_opts, rpo_symfs),
	    .opt_check = report_check_symfs },
	OPT_GROUP("Counts"),
	{ 0, "stat", NULL, "count events, like dt stat", OPT_FLAG,
	    OPT_OF(struct report_opts, rpo_view), VIEW_STAT },
	COUNT_OPT_ROWS(offsetof(struct report_opts, rpo_count)),
	OPT_ROW_TOP("print at most N rows, functions or stacks"),
	OPT_GROUP("Profile"),
	{ 0, "profile", NULL, "print functions and stacks, like dt profile",
	    OPT_FLAG, OPT_OF(struct report_opts, rpo_view), VIEW_PROFILE },
	{ 0, "offcpu", NULL, "print where threads waited, like dt offcpu",
	    OPT_FLAG, OPT_OF(struct report_opts, rpo_view), VIEW_OFFCPU },
	{ 0, "on", "PROBE", "with --profile: count the hits of PROBE",
	    OPT_STRING, OPT_OF(struct report_opts, rpo_on) },
	{ 0, "idle", NULL, "include idle CPUs", OPT_FLAG,
	    OPT_OF(struct report_opts, rpo_idle) },
	OPT_ROWS_CALLS,
	OPT_ROW_FOLDED,
	OPT_GROUP("Output"),
	OPT_ROW_OUTPUT("FILE",
	    "write to FILE; x.json: JSON; of a profile: .txt .svg .html .folded .pb.gz .json .firefox.json",
	    report_check_output),
	{ 0 },
};

const struct cmd cmd_report = {
	.cmd_name = "report",
	.cmd_args = "[-j] [--stat | --profile | --offcpu] FILE.dt",
	.cmd_what = "print a recording, or count its events",
	.cmd_run = report_run,
	.cmd_size = sizeof(struct report_opts),
	.cmd_opts = report_opts,
	.cmd_flags = CMD_FILE | CMD_OPTIONAL,
	.cmd_check = report_check,
	.cmd_examples = "  # make a recording\n"
			"  dt record -o ls.dt 'syscall:*' -- ls\n"
			"  # print its events\n"
			"  dt report ls.dt\n"
			"  # print JSON, for programs\n"
			"  dt report -j ls.dt\n"
			"  # count failed calls by errno\n"
			"  dt report --stat --by probe,errno ls.dt\n"
			"  # print the hottest functions and stacks\n"
			"  dt record -g -o lsg.dt syscall:openat:entry -- ls\n"
			"  dt report --profile lsg.dt\n"
			"  # print where a command waited\n"
			"  dt offcpu -o off.dt -- sleep 0.1\n"
			"  dt report --offcpu off.dt\n",
};
