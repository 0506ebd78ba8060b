/* SPDX-License-Identifier: ISC */
/* dt diff: compares two profiles, or the calls of two recordings. */
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/buf.h"
#include "cli/base/esc.h"
#include "cli/base/file_sink.h"
#include "cli/base/pager.h"
#include "cli/diff/diff.h"
#include "cli/diff/diff_calls.h"
#include "cli/diff/diff_page.h"
#include "cli/opts/cmd.h"
#include "cli/out/out_text.h"
#include "cli/recording/recorded_calls.h"

#define DIFF_TOP      20
#define DIFF_TOPCALLS 5 /* of four lines each */
#define DIFF_CERTAIN  2 /* standard errors: a smaller change may be chance */

struct diff_opts {
	struct opts dio_common;
	int dio_stacks;		/* --stacks */
	int dio_total;		/* --total */
	int dio_offcpu;		/* --offcpu */
	int dio_calls;		/* --calls */
	const char *dio_output; /* -o */
};

/* What the table is about. */
struct diff_run {
	struct diff drn_diff;
	const struct diff_opts *drn_opts;
	struct hash_entry **drn_rows; /* by falling change */
	size_t drn_n;
	struct buf drn_buf;
};

static int
suffix_is(const char *name, const char *suffix)
{
	size_t n = strlen(name), len = strlen(suffix);

	return n > len && strcmp(name + n - len, suffix) == 0;
}

/* A run of dt report. */
struct diff_report {
	pid_t dre_pid;
	FILE *dre_out;
	FILE *dre_err; /* its messages, which matter if it fails */
};

static void
diff_report(struct diff_report *dre, const struct diff_opts *dio, char *name)
{
	char *argv[] = { (char *)"dt", (char *)"report",
		(char *)(dio->dio_offcpu ? "--offcpu" : "--profile"),
		(char *)"-f", NULL, NULL };
	int fds[2];

	if (asprintf(&argv[4], "%s%s", *name == '-' ? "./" : "", name) == -1 ||
	    (dre->dre_err = tmpfile()) == NULL || pipe(fds) == -1 ||
	    (dre->dre_pid = fork()) == -1)
		err(1, "dt report");
	if (dre->dre_pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fileno(dre->dre_err), STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		execv("/proc/self/exe", argv);
		err(1, "/proc/self/exe");
	}
	close(fds[1]);
	free(argv[4]);
	if ((dre->dre_out = fdopen(fds[0], "r")) == NULL)
		err(1, "dt report");
}

/* Exits with the messages of dt report if it has failed. */
static void
diff_report_end(struct diff_report *dre)
{
	char text[512];
	int status;
	size_t n;

	if (waitpid(dre->dre_pid, &status, 0) == -1)
		err(1, "dt report");
	if (status != 0) {
		rewind(dre->dre_err);
		while ((n = fread(text, 1, sizeof(text), dre->dre_err)) > 0)
			fwrite(text, 1, n, stderr);
		exit(1);
	}
	fclose(dre->dre_err);
}

static void
diff_file(struct diff_run *drn, enum diff_side side, char *name)
{
	struct diff_report dre = { .dre_pid = -1 };
	unsigned int line;

	if (!suffix_is(name, ".folded"))
		diff_report(&dre, drn->drn_opts, name);
	else if ((dre.dre_out = fopen(name, "re")) == NULL)
		err(1, "%s", name);
	line = diff_read(&drn->drn_diff, side, dre.dre_out);
	if (ferror(dre.dre_out))
		err(1, "%s", name);
	fclose(dre.dre_out);
	if (dre.dre_pid != -1)
		diff_report_end(&dre);
	if (line != 0)
		errx(1, "%s: line %u is no folded stack, such as main;run 12",
		    name, line);
	if (drn->drn_diff.dif_weight[side] == 0)
		errx(1, "%s: has no samples%s", name,
		    drn->drn_opts->dio_offcpu ? ""
					      : "; --offcpu compares waits, "
						"--calls calls");
}

static const uint64_t *
diff_weight(const struct diff_run *drn, const struct hash_entry *e)
{
	const struct diff_row *row = e->he_ptr;

	return drn->drn_opts->dio_total ? row->dfr_total : row->dfr_self;
}

static double
diff_change(const struct diff_run *drn, const struct hash_entry *e)
{
	const uint64_t *w = diff_weight(drn, e);

	return diff_share(&drn->drn_diff, DIFF_AFTER, w[DIFF_AFTER]) -
	    diff_share(&drn->drn_diff, DIFF_BEFORE, w[DIFF_BEFORE]);
}

static int
diff_compare(const void *va, const void *vb, void *arg)
{
	const struct hash_entry *a = *(struct hash_entry *const *)va;
	const struct hash_entry *b = *(struct hash_entry *const *)vb;
	double x = fabs(diff_change(arg, a)), y = fabs(diff_change(arg, b));

	return x != y
	    ? (x > y ? -1 : 1)
	    : memcmp(a->he_key, b->he_key,
		  a->he_keylen < b->he_keylen ? a->he_keylen : b->he_keylen);
}

/* Returns whether a change is larger than what chance makes of one profile. */
static int
diff_iscertain(const struct diff_run *drn, const struct hash_entry *e)
{
	return fabs(diff_change(drn, e)) >
	    DIFF_CERTAIN * diff_error(&drn->drn_diff, diff_weight(drn, e));
}

static void
diff_json(struct diff_run *drn, const struct hash_entry *e)
{
	const uint64_t *w = diff_weight(drn, e);
	const struct diff *dif = &drn->drn_diff;
	struct buf *b = &drn->drn_buf;

	buf_printf(b, "{\"%s\":\"",
	    drn->drn_opts->dio_stacks ? "stack" : "function");
	esc_json(b, (const char *)e->he_key, e->he_keylen);
	buf_printf(b, "\",\"before\":%.6f,\"after\":%.6f,\"change\":%.6f",
	    diff_share(dif, DIFF_BEFORE, w[DIFF_BEFORE]),
	    diff_share(dif, DIFF_AFTER, w[DIFF_AFTER]), diff_change(drn, e));
	if (!drn->drn_opts->dio_offcpu)
		buf_printf(b, ",\"error\":%.6f", diff_error(dif, w));
	buf_str(b, "}\n");
}

/* "before after", as difffolded.pl of the FlameGraph tools has it. */
static void
diff_folded(struct diff_run *drn, const struct hash_entry *e)
{
	const uint64_t *w = diff_weight(drn, e);
	struct buf *b = &drn->drn_buf;

	buf_mem(b, e->he_key, e->he_keylen);
	buf_c(b, ' ');
	buf_u64(b, w[DIFF_BEFORE]);
	buf_c(b, ' ');
	buf_u64(b, w[DIFF_AFTER]);
	buf_c(b, '\n');
}

static void
diff_text(struct diff_run *drn, const struct hash_entry *e)
{
	const uint64_t *w = diff_weight(drn, e);
	const struct diff *dif = &drn->drn_diff;
	struct buf *b = &drn->drn_buf;

	buf_printf(b, "%7.2f%% %7.2f%% %+7.2f%%  ",
	    100 * diff_share(dif, DIFF_BEFORE, w[DIFF_BEFORE]),
	    100 * diff_share(dif, DIFF_AFTER, w[DIFF_AFTER]),
	    100 * diff_change(drn, e));
	if (!drn->drn_opts->dio_offcpu)
		buf_printf(b, "%5.2f%%  ", 100 * diff_error(dif, w));
	esc_text(b, (const char *)e->he_key, e->he_keylen);
	buf_c(b, '\n');
}

static void
diff_head(struct diff_run *drn)
{
	buf_printf(&drn->drn_buf, "%8s %8s %8s  %s%s\n", "BEFORE", "AFTER",
	    "CHANGE", drn->drn_opts->dio_offcpu ? "" : " ERROR  ",
	    drn->drn_opts->dio_stacks ? "STACK" : "FUNCTION");
}

/* Rows whose change may be chance are counted, not printed. */
static void
diff_table(struct diff_run *drn)
{
	size_t top = drn->drn_opts->dio_common.o_print.opi_top, i, n = 0;
	size_t nchance = 0;

	if (top == 0)
		top = DIFF_TOP;
	for (i = 0; i < drn->drn_n; i++) {
		if (diff_change(drn, drn->drn_rows[i]) == 0)
			break;
		if (!drn->drn_opts->dio_offcpu &&
		    !diff_iscertain(drn, drn->drn_rows[i]))
			nchance++;
		else if (n++ < top) {
			if (n == 1)
				diff_head(drn);
			diff_text(drn, drn->drn_rows[i]);
		}
	}
	if (n > top)
		buf_printf(&drn->drn_buf,
		    "%27s and %zu more (--top prints more)\n", "", n - top);
	if (n == 0 && nchance == 0)
		buf_str(&drn->drn_buf, "nothing changed\n");
	if (nchance > 0)
		buf_printf(&drn->drn_buf,
		    "%zu %s changed by less than %d standard errors\n", nchance,
		    drn->drn_opts->dio_stacks ? "stacks" : "functions",
		    DIFF_CERTAIN);
}

/* -o: the page */
static void
diff_output(struct diff_run *drn)
{
	const struct diff_opts *dio = drn->drn_opts;
	char **files = dio->dio_common.o_args;
	struct file_sink sink;
	int error;

	buf_free(&drn->drn_buf);
	file_sink_open(&sink, dio->dio_output, 0, 0, &drn->drn_buf);
	diff_page(&drn->drn_buf, &drn->drn_diff, files[0], files[1],
	    drn->drn_rows, drn->drn_n, dio->dio_offcpu);
	buf_flush(&drn->drn_buf);
	error = file_sink_close(&sink);
	if (drn->drn_buf.b_error == 0)
		drn->drn_buf.b_error = error;
	if (drn->drn_buf.b_error == 0)
		warnx("wrote %s; open it with a browser", dio->dio_output);
}

/* Text on a terminal goes through the pager. */
static void
diff_open(const struct opts_print *pr, struct buf *b)
{
	buf_init(b, STDOUT_FILENO);
	if (!pr->opi_json && !pr->opi_nopager)
		pager_want();
}

/*
 * Calls
 */

/* A side of diff_calls, for diff_add_call(). */
struct diff_calls_side {
	struct diff_calls *dcd_calls;
	enum diff_side dcd_side;
};

static void
diff_add_call(void *arg, const struct call_row *row)
{
	const struct diff_calls_side *dcd = arg;

	diff_calls_add(dcd->dcd_calls, dcd->dcd_side, row);
}

static void
diff_read_calls(struct diff_calls *dfs, enum diff_side side, const char *name)
{
	struct diff_calls_side dcd = { dfs, side };
	struct call_sums cls;

	recorded_calls_read(name, &cls, diff_add_call, &dcd);
	if (cls.csu_n == 0)
		errx(1, "%s: has no calls; dt record 'syscall:*' records them",
		    name);
	if (cls.csu_lost > 0)
		warnx("%s: %llu events were lost, so calls are missing", name,
		    (unsigned long long)cls.csu_lost);
	diff_calls_sums(dfs, side, &cls);
}

/* Without an option that chooses, the first events do. */
static int
diff_wants_calls(const struct diff_opts *dio)
{
	const struct opts *o = &dio->dio_common;

	if (dio->dio_calls)
		return 1;
	return !dio->dio_stacks && !dio->dio_total && !dio->dio_offcpu &&
	    dio->dio_output == NULL && !o->o_print.opi_folded &&
	    recorded_calls_only(o->o_args[0]) &&
	    recorded_calls_only(o->o_args[1]);
}

static int
diff_run_calls(const struct diff_opts *dio)
{
	const struct opts *o = &dio->dio_common;
	struct diff_calls *dfs = diff_calls_alloc();
	struct buf b;
	int error;

	diff_read_calls(dfs, DIFF_BEFORE, o->o_args[0]);
	diff_read_calls(dfs, DIFF_AFTER, o->o_args[1]);
	diff_open(&o->o_print, &b);
	if (o->o_print.opi_json)
		diff_calls_json(dfs, &b);
	else {
		diff_calls_text(dfs, &b,
		    o->o_print.opi_top != 0 ? o->o_print.opi_top
					    : DIFF_TOPCALLS);
		text_wrap(&b, 0);
	}
	buf_flush(&b);
	error = b.b_error;
	buf_free(&b);
	diff_calls_free(dfs);
	if (error != 0)
		errx(1, "output: %s", strerror(error));
	return 0;
}

/*
 * The command
 */

static int
diff_run(struct opts *opts)
{
	struct diff_run drn = { .drn_opts = (struct diff_opts *)opts };
	const struct opts_print *pr = &opts->o_print;
	const struct hash *rows;
	size_t i;
	int error;

	if (diff_wants_calls(drn.drn_opts))
		return diff_run_calls(drn.drn_opts);
	diff_file(&drn, DIFF_BEFORE, opts->o_args[0]);
	diff_file(&drn, DIFF_AFTER, opts->o_args[1]);
	rows = drn.drn_opts->dio_stacks || pr->opi_folded
	    ? &drn.drn_diff.dif_stacks
	    : &drn.drn_diff.dif_funcs;
	drn.drn_n = rows->ha_n;
	drn.drn_rows = hash_sorted_by(rows, diff_compare, &drn);
	diff_open(pr, &drn.drn_buf);
	for (i = 0; i < drn.drn_n && (pr->opi_folded || pr->opi_json); i++)
		(pr->opi_folded ? diff_folded : diff_json)(&drn,
		    drn.drn_rows[i]);
	if (drn.drn_opts->dio_output != NULL)
		diff_output(&drn);
	else if (!pr->opi_folded && !pr->opi_json) {
		diff_table(&drn);
		text_wrap(&drn.drn_buf, 0);
	}
	buf_flush(&drn.drn_buf);
	error = drn.drn_buf.b_error;
	buf_free(&drn.drn_buf);
	free(drn.drn_rows);
	diff_free(&drn.drn_diff);
	if (error != 0)
		errx(1, "output: %s", strerror(error));
	return 0;
}

static const char *
diff_check(const struct opts *o)
{
	const struct diff_opts *dio = (const struct diff_opts *)o;

	if (o->o_nargs != 2)
		return "needs two profiles: BEFORE.dt AFTER.dt, or .folded";
	if (dio->dio_calls &&
	    (dio->dio_stacks || dio->dio_total || dio->dio_offcpu ||
		o->o_print.opi_folded || dio->dio_output != NULL))
		return "--calls excludes --stacks, --total, --offcpu, -f and -o";
	if (dio->dio_total && (dio->dio_stacks || o->o_print.opi_folded))
		return "--total is for functions, not for stacks";
	if (o->o_print.opi_json && o->o_print.opi_folded)
		return "-f and -j exclude each other";
	if (dio->dio_output == NULL)
		return NULL;
	if (dio->dio_stacks || dio->dio_total || o->o_print.opi_top != 0 ||
	    o->o_print.opi_json || o->o_print.opi_folded)
		return "-o writes a page: it excludes --stacks, --total, "
		       "--top, -f and -j";
	return suffix_is(dio->dio_output, ".html") ? NULL
						   : "-o should be a FILE.html";
}

static const struct opt diff_opts[] = {
	{ 0, "stacks", NULL, "compare whole stacks, not functions", OPT_FLAG,
	    OPT_OF(struct diff_opts, dio_stacks) },
	{ 0, "total", NULL, "compare functions with all that they called",
	    OPT_FLAG, OPT_OF(struct diff_opts, dio_total) },
	{ 0, "offcpu", NULL, "compare where threads waited", OPT_FLAG,
	    OPT_OF(struct diff_opts, dio_offcpu) },
	{ 0, "calls", NULL, "compare calls: their number, errors and times",
	    OPT_FLAG, OPT_OF(struct diff_opts, dio_calls) },
	OPT_ROW_TOP("print at most N rows (default 20, of calls 5)"),
	{ 'f', "folded", NULL,
	    "print stacks with both weights, for flame graphs", OPT_FLAG,
	    OPT(o_print.opi_folded) },
	{ 'o', "output", "FILE", "write a page with a coloured graph: x.html",
	    OPT_STRING, OPT_OF(struct diff_opts, dio_output),
	    .opt_check = opts_check_name },
	OPT_ROW_JSON,
	OPT_ROW_NOPAGER,
	{ 0 },
};

const struct cmd cmd_diff = {
	.cmd_name = "diff",
	.cmd_args = "[--stacks | --total | --calls] BEFORE.dt AFTER.dt",
	.cmd_what = "print what changed between two profiles or recordings",
	.cmd_run = diff_run,
	.cmd_size = sizeof(struct diff_opts),
	.cmd_opts = diff_opts,
	.cmd_flags = CMD_PROBES, /* operands */
	.cmd_check = diff_check,
	.cmd_examples = "  # compare two profiles of a command\n"
			"  dt profile -o a.dt -- ls -R /usr\n"
			"  dt profile -o b.dt -- ls -R /usr\n"
			"  dt diff a.dt b.dt\n"
			"  # compare the system calls of a command\n"
			"  dt record -o c.dt 'syscall:*' -- ls /\n"
			"  dt record -o d.dt 'syscall:*' -- ls /usr\n"
			"  dt diff c.dt d.dt\n",
};
