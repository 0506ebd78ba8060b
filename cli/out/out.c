/* SPDX-License-Identifier: ISC */
/* Implements the writer of out.h: selects a format and passes values to it. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/file_sink.h"
#include "cli/base/pager.h"
#include "cli/out/out.h"
#include "cli/profile/profile_funcs.h"

static int
out_is_file(const struct opts *o, enum opts_filekind kind)
{
	return o->o_file.ofi_name != NULL && o->o_file.ofi_kind == kind;
}

static int
out_wants_wire(const struct opts *o)
{
	return o->o_print.opi_wire == OPTS_WIRE && !o->o_print.opi_json;
}

static int
out_wants_wire_exact(const struct opts *o)
{
	return o->o_print.opi_wire == OPTS_WIRE_EXACT && !o->o_print.opi_json;
}

static int
out_wants_folded(const struct opts *o)
{
	return o->o_print.opi_folded || out_is_file(o, FILE_FOLDED);
}

static int
out_wants_svg(const struct opts *o)
{
	return out_is_file(o, FILE_SVG);
}

static int
out_wants_html(const struct opts *o)
{
	return out_is_file(o, FILE_HTML);
}

static int
out_wants_pprof(const struct opts *o)
{
	return out_is_file(o, FILE_PPROF);
}

static int
out_wants_speedscope(const struct opts *o)
{
	return out_is_file(o, FILE_SPEEDSCOPE);
}

static int
out_wants_firefox(const struct opts *o)
{
	return out_is_file(o, FILE_FIREFOX);
}

static int
out_wants_prometheus(const struct opts *o)
{
	return o->o_print.opi_prometheus != NULL;
}

static int
out_wants_json(const struct opts *o)
{
	return o->o_print.opi_json;
}

static int
out_wants_text(const struct opts *o)
{
	(void)o;
	return 1;
}

/* The first requested format is used. */
static const struct {
	const struct out_format *format;
	int (*wanted)(const struct opts *);
} out_formats[] = {
	{ &out_wire, out_wants_wire },
	{ &out_wire_exact, out_wants_wire_exact },
	{ &out_folded, out_wants_folded },
	{ &out_svg, out_wants_svg },
	{ &out_html, out_wants_html },
	{ &out_pprof, out_wants_pprof },
	{ &out_speedscope, out_wants_speedscope },
	{ &out_firefox, out_wants_firefox },
	{ &out_prometheus, out_wants_prometheus },
	{ &out_json, out_wants_json },
	{ &out_text, out_wants_text },
};

/* Checks early whether a file that is written at the end can be created. */
static void
out_try(const struct opts *o)
{
	const char *slash = strrchr(o->o_file.ofi_name, '/');
	char *dir;

	if (slash == NULL)
		dir = strdup(".");
	else
		dir = strndup(o->o_file.ofi_name,
		    slash - o->o_file.ofi_name + 1);
	if (dir == NULL)
		err(1, NULL);
	if (access(dir, W_OK) == -1)
		err(1, "%s", o->o_file.ofi_name);
	free(dir);
}

void
out_set_colours(struct out *out, int on)
{
	static const char colours[][sizeof(out->out_colours[0])] = {
		[OUT_BOLD] = "\033[1m",
		[OUT_RED] = "\033[31m",
		[OUT_GREEN] = "\033[32m",
		[OUT_YELLOW] = "\033[33m",
		[OUT_PLAIN] = "\033[m",
	};

	memset(out->out_colours, 0, sizeof(out->out_colours));
	if (on)
		memcpy(out->out_colours, colours, sizeof(colours));
}

void
out_open(struct out *out, const struct opts *opts, struct name_cache *names)
{
	const char *nocolor = getenv("NO_COLOR"), *term = getenv("TERM");
	int fd = opts->o_print.opi_fd != 0 ? opts->o_print.opi_fd
					   : STDOUT_FILENO;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->out_opts = opts;
	out->out_names = names;
	columns_parse(&out->out_columns, opts->o_print.opi_columns);
	buf_init(&out->out_buf, fd);
	out->out_isterminal = opts->o_file.ofi_name == NULL && isatty(fd);
	out_set_colours(out,
	    out->out_isterminal && (nocolor == NULL || *nocolor == '\0') &&
		term != NULL && strcmp(term, "dumb") != 0);
	for (i = 0; !out_formats[i].wanted(opts); i++)
		;
	out->out_format = out_formats[i].format;
	if (opts->o_file.ofi_name != NULL)
		out_try(opts);
	if (out->out_format->f_begin != NULL)
		out->out_format->f_begin(out);
}

void
out_page(const struct out *out)
{
	const struct opts *o = out->out_opts;

	if (out->out_buf.b_fd == STDOUT_FILENO && o->o_file.ofi_name == NULL &&
	    !o->o_print.opi_json && !o->o_print.opi_nopager)
		pager_want();
}

static void
out_completeness(const struct out_profile *op)
{
	struct buf b;

	if (op->opr_judged == 0)
		return;
	buf_init(&b, STDERR_FILENO);
	buf_str(&b, "dt: ");
	profile_completeness(&b, op);
	buf_c(&b, '\n');
	buf_flush(&b);
	buf_free(&b);
}

int
out_head(struct out *out, const struct block_head *head)
{
	if (out->out_format->f_head != NULL)
		out->out_format->f_head(out, head);
	return buf_line(&out->out_buf);
}

int
out_probe(struct out *out, const struct probe *pr)
{
	if (out->out_format->f_probe != NULL)
		out->out_format->f_probe(out, pr);
	return buf_line(&out->out_buf);
}

int
out_prov(struct out *out, const struct dtioc_prov_info *pv)
{
	if (out->out_format->f_prov != NULL)
		out->out_format->f_prov(out, pv);
	return buf_line(&out->out_buf);
}

int
out_tool(struct out *out, const char *name, const char *what)
{
	if (out->out_format->f_tool != NULL)
		out->out_format->f_tool(out, name, what);
	return buf_line(&out->out_buf);
}

int
out_counts(struct out *out, const struct out_counts *ot)
{
	if (out->out_format->f_counts != NULL)
		out->out_format->f_counts(out, ot);
	return buf_line(&out->out_buf);
}

void
out_file_begin(struct out *out, struct file_sink *sink)
{
	struct buf head = out->out_buf; /* of f_begin */

	if (out->out_opts->o_file.ofi_name == NULL)
		return;
	file_sink_open(sink, out->out_opts->o_file.ofi_name, 0, 0,
	    &out->out_buf);
	buf_mem(&out->out_buf, head.b_data, head.b_len);
	buf_free(&head);
}

int
out_file_end(struct out *out, struct file_sink *sink)
{
	if (out->out_opts->o_file.ofi_name == NULL)
		return 0;
	buf_flush(&out->out_buf);
	return file_sink_close(sink);
}

int
out_file_status(struct out *out, struct file_sink *sink, int status)
{
	int error;

	if ((error = out_file_end(out, sink)) == 0)
		return status;
	warnx("%s: %s", out->out_opts->o_file.ofi_name, strerror(error));
	return 1;
}

int
out_syscalls(struct out *out, const struct out_syscalls *ol)
{
	if (out->out_format->f_syscalls != NULL)
		out->out_format->f_syscalls(out, ol);
	return buf_line(&out->out_buf);
}

/* Reports the file that was written, and what opens it. */
static void
out_wrote(const struct out *out)
{
	const char *name = out->out_opts->o_file.ofi_name;
	const char *opens = out->out_format->f_opens;

	if (name == NULL || out->out_buf.b_error != 0)
		return;
	if (opens != NULL)
		warnx("wrote %s; open it with %s", name, opens);
	else
		warnx("wrote %s", name);
}

/*
 * Writes the file of a drawing, after which the lines that follow tables are
 * printed on stderr.
 */
int
out_profile(struct out *out, const struct out_profile *op)
{
	int istext = out_is_file(out->out_opts, FILE_TEXT);
	struct file_sink sink;
	int error;

	if (out->out_format->f_profile != NULL && istext)
		out->out_format->f_profile(out, op);
	else if (out->out_format->f_profile != NULL) {
		out_file_begin(out, &sink);
		out->out_format->f_profile(out, op);
		error = out_file_end(out, &sink);
		if (out->out_buf.b_error == 0)
			out->out_buf.b_error = error;
		out_wrote(out);
	}
	if (out->out_format != &out_text)
		out_completeness(op);
	return buf_line(&out->out_buf);
}

int
out_where(struct out *out, const struct out_where *ow)
{
	if (out->out_format->f_where != NULL)
		out->out_format->f_where(out, ow);
	return buf_line(&out->out_buf);
}

int
out_kcov(struct out *out, const struct out_kcov *ok)
{
	if (out->out_format->f_kcov != NULL)
		out->out_format->f_kcov(out, ok);
	return buf_line(&out->out_buf);
}

int
out_doctor(struct out *out, const struct out_doctor *od)
{
	if (out->out_format->f_doctor != NULL)
		out->out_format->f_doctor(out, od);
	return buf_line(&out->out_buf);
}

int
out_ledger(struct out *out, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	if (out->out_format->f_ledger != NULL)
		out->out_format->f_ledger(out, ledger, lr);
	return buf_line(&out->out_buf);
}

int
out_close(struct out *out)
{
	int error;

	if (out->out_format == NULL)
		return 0;
	buf_flush(&out->out_buf);
	error = out->out_buf.b_error;
	if (error == EPIPE && pager_isused())
		error = 0; /* the user has left it */
	buf_free(&out->out_buf);
	out->out_format = NULL;
	return error;
}

/*
 * As a consumer
 */

static int
consumer_save(void *arg, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	struct out *out = arg;

	(void)ledger;
	(void)lr;
	return buf_flush(&out->out_buf);
}

static int
consumer_ledger(void *arg, const struct dt_ledger *ledger,
    const struct ledger_run *lr)
{
	return out_ledger(arg, ledger, lr);
}

static int
consumer_idle(void *arg)
{
	buf_flush(&((struct out *)arg)->out_buf);
	return 0;
}

static int
consumer_isover(const void *arg)
{
	return ((const struct out *)arg)->out_buf.b_error != 0;
}

static int
consumer_fd(const void *arg)
{
	return ((const struct out *)arg)->out_buf.b_fd;
}

static void
consumer_hangup(void *arg)
{
	((struct out *)arg)->out_buf.b_error = EPIPE;
}

static int
consumer_close(void *arg, struct ledger_run *lr, int *isreported)
{
	(void)lr;
	*isreported = 0;
	return out_close(arg);
}

struct consumer
out_consumer(struct out *out)
{
	static const struct consumer_ops ops = {
		.cso_save = consumer_save,
		.cso_ledger = consumer_ledger,
		.cso_idle = consumer_idle,
		.cso_isover = consumer_isover,
		.cso_fd = consumer_fd,
		.cso_hangup = consumer_hangup,
		.cso_close = consumer_close,
	};

	return (struct consumer){ out->out_format->f_call, &ops, out,
		out->out_format->f_flags };
}
