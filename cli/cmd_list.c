/* SPDX-License-Identifier: ISC */
/* dt list: prints the available probes, and finds them and tools by a word. */
#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opts/cmd.h"
#include "cli/out/out.h"
#include "cli/script/script_file.h"
#include "cli/session/refusal.h"
#include "cli/sym/name_cache.h"
#include "cli/tool/tool_dir.h"

/*
 * Uses the short description of a probe if its name suffices: requests for
 * arguments cost two requests per probe.
 */
static void
list_brief(struct out *out, const struct dtioc_probe_info *pi)
{
	struct dt_probe_desc pd;

	if (out->out_opts->o_print.opi_verbose ||
	    out->out_opts->o_print.opi_json)
		return;
	memset(&pd, 0, sizeof(pd));
	pd.pd_info = *pi;
	name_cache_add_probe(out->out_names, &pd);
}

/* Returns whether a text, which may be a glob, is in a string. */
static int
list_isin(const char *text, const char *s)
{
	char glob[DTNAMESIZE + 8];

	snprintf(glob, sizeof(glob), "*%.*s*", DTNAMESIZE, text);
	return fnmatch(glob, s, FNM_CASEFOLD) == 0;
}

/* Returns whether the text is in the name of the probe, without its provider. */
static int
list_contains(const struct dtioc_probe_info *pi, const char *text)
{
	char name[2 * DTNAMESIZE + 2];

	snprintf(name, sizeof(name), "%s:%s", pi->dtpi_func, pi->dtpi_name);
	return list_isin(text, name);
}

/*
 * Prints probes, by number, which is the order of the providers; text: only
 * those with this text in their names.  Returns the number printed.
 */
static ssize_t
list_print(struct dt *dt, struct out *out, const char *pattern,
    const char *text)
{
	struct dtioc_probe_info *pi;
	const struct probe *pr;
	ssize_t i, n, count = 0;

	if ((n = dt_lookup(dt, pattern, &pi)) == -1)
		return errno == ENOENT ? 0 : -1;
	for (i = 0; i < n; i++) {
		if (text != NULL && !list_contains(&pi[i], text))
			continue;
		count++;
		list_brief(out, &pi[i]);
		pr = name_cache_probe(out->out_names, pi[i].dtpi_pbn);
		if (pr != NULL && out_probe(out, pr) == -1)
			break;
	}
	free(pi);
	return count;
}

/* Prints tools with the text in their names or descriptions. */
static size_t
list_tools(struct out *out, const char *text)
{
	struct tool_entry *ten;
	size_t i, n = tool_dir_list(&ten), count = 0;
	char why[256], *what;

	for (i = 0; i < n; i++) {
		what = script_file_tool(ten[i].ten_path, why, sizeof(why));
		if (what == NULL)
			continue; /* dt run reports why */
		if (list_isin(text, ten[i].ten_name) || list_isin(text, what)) {
			count++;
			(void)out_tool(out, ten[i].ten_name, what);
		}
		free(what);
	}
	free(ten);
	return count;
}

/* Prints probes with the text in their names, or else kernel functions. */
static ssize_t
list_names(struct dt *dt, struct out *out, const char *text)
{
	char functions[DTNAMESIZE + 16];
	ssize_t n = list_print(dt, out, "*", text);

	if (n != 0)
		return n;
	snprintf(functions, sizeof(functions), "kprobe:*%.*s*", DTNAMESIZE,
	    text);
	return list_print(dt, out, functions, NULL);
}

/*
 * A pattern that matches no whole name, and has no colon, is searched for in
 * all names, and in the descriptions of tools.
 */
static ssize_t
list_search(struct dt *dt, struct out *out, const char *text)
{
	ssize_t n;

	if (strchr(text, ':') != NULL || *text == '\0')
		return 0;
	n = list_names(dt, out, text);
	return n == -1 ? -1 : n + (ssize_t)list_tools(out, text);
}

static void
list_pattern(struct dt *dt, struct out *out, const char *pattern)
{
	ssize_t n = list_print(dt, out, pattern, NULL);

	if (n == 0)
		n = list_search(dt, out, pattern);
	if (n <= 0)
		(void)out_close(out); /* prints what was found before */
	if (n == -1)
		refusal_ioctl(dt, pattern);
	if (n == 0)
		refusal_nomatch(dt, pattern);
}

static void
list_provs(struct dt *dt, struct out *out)
{
	struct dtioc_prov po = { 0 };
	size_t i;

	if (dt_ioctl(dt, DTIOCGPROVS, &po) == -1)
		refusal_ioctl(dt, "providers");
	if ((po.dtpo_provs = malloc(po.dtpo_size)) == NULL)
		err(1, "providers");
	if (dt_ioctl(dt, DTIOCGPROVS, &po) == -1)
		refusal_ioctl(dt, "providers");
	for (i = 0; i < po.dtpo_size / sizeof(*po.dtpo_provs); i++)
		out_prov(out, &po.dtpo_provs[i]);
	free(po.dtpo_provs);
}

static int
list_run(struct opts *opts)
{
	struct name_cache names;
	struct out out;
	struct dt *dt;
	unsigned int i;
	int error;

	dt = refusal_open(NULL, 0);
	name_cache_init(&names, dt);
	out_open(&out, opts, &names);
	out_page(&out);
	if (opts->o_nargs == 0)
		list_pattern(dt, &out, "*");
	for (i = 0; i < opts->o_nargs; i++)
		list_pattern(dt, &out, opts->o_args[i]);
	if (opts->o_print.opi_verbose)
		list_provs(dt, &out);
	error = out_close(&out);
	name_cache_free(&names);
	dt_close(dt);
	if (error != 0)
		errx(1, "output: %s", strerror(error));
	return 0;
}

static const struct opt list_opts[] = {
	OPT_ROW_VERBOSE("print arguments, and which providers work here"),
	OPT_ROW_JSON,
	OPT_ROW_NOPAGER,
	{ 0 },
};

const struct cmd cmd_list = {
	.cmd_name = "list",
	.cmd_args = "[-v] [-j] [PATTERN ...]",
	.cmd_what = "list probes",
	.cmd_run = list_run,
	.cmd_opts = list_opts,
	.cmd_flags = CMD_PROBES,
	.cmd_examples = "  # print all probes\n"
			"  dt list\n"
			"  # print those with this word, and tools for it\n"
			"  dt list connect\n"
			"  # print the calls whose names begin with open\n"
			"  dt list 'syscall:open*'\n"
			"  # print the arguments, too\n"
			"  dt list -v syscall:openat\n",
};
