/* SPDX-License-Identifier: ISC */
/* The options of the file that is written: its name, format and limits. */
#include <string.h>

#include "cli/opts/opts.h"

/* Formats of a profile.  The first suffix that matches counts. */
static const struct {
	const char *suffix;
	enum opts_filekind kind;
} opts_suffixes[] = {
	{ ".dt", FILE_DT },
	{ ".txt", FILE_TEXT },
	{ ".folded", FILE_FOLDED },
	{ ".svg", FILE_SVG },
	{ ".html", FILE_HTML },
	{ ".pb.gz", FILE_PPROF },
	{ ".firefox.json", FILE_FIREFOX },
	{ ".json", FILE_SPEEDSCOPE },
};

/* Returns the format for a file name, or -1. */
static int
opts_kind(const char *name)
{
	size_t i, len = strlen(name), n;

	for (i = 0; i < sizeof(opts_suffixes) / sizeof(opts_suffixes[0]); i++) {
		n = strlen(opts_suffixes[i].suffix);
		if (len > n &&
		    strcmp(name + len - n, opts_suffixes[i].suffix) == 0)
			return opts_suffixes[i].kind;
	}
	return -1;
}

const char *
opts_check_name(struct opts *o, const char *arg)
{
	(void)o;
	return *arg == '\0' ? "should be the name of a file, or -" : NULL;
}

/* bad: the error for other words than names of files */
static const char *
opts_set_text(struct opts *o, const char *arg, const char *bad)
{
	if (*arg == '\0' || strcmp(arg, "-") == 0)
		return bad;
	o->o_file.ofi_kind = FILE_TEXT;
	if (opts_kind(arg) == FILE_SPEEDSCOPE)
		o->o_print.opi_json = 1;
	return NULL;
}

const char *
opts_check_text(struct opts *o, const char *arg)
{
	return opts_set_text(o, arg,
	    "should be the name of a file; without -o, stdout is used");
}

const char *
opts_check_errtext(struct opts *o, const char *arg)
{
	return opts_set_text(o, arg,
	    "should be the name of a file; without -o, stderr is used");
}

const char *
opts_check_events(struct opts *o, const char *arg)
{
	int kind = opts_kind(arg);

	if (kind == FILE_TEXT || kind == FILE_SPEEDSCOPE)
		return opts_check_text(o, arg);
	o->o_file.ofi_kind = FILE_DT;
	return opts_check_name(o, arg);
}

const char *
opts_check_any(struct opts *o, const char *arg)
{
	int kind = strcmp(arg, "-") == 0 ? FILE_DT : opts_kind(arg);

	if (kind == -1)
		return "should end in .dt (recording), .folded (folded "
		       "stacks), .svg or .html (flame graph), .pb.gz (pprof), "
		       ".json (speedscope) or .firefox.json (Firefox "
		       "profiler), or in .txt (text), or be - (recording on "
		       "stdout)";
	o->o_file.ofi_kind = kind;
	return NULL;
}

int
opts_isrecording(const struct opts *o)
{
	return o->o_file.ofi_name != NULL && o->o_file.ofi_kind == FILE_DT;
}

/* With -j, a file has JSON lines. */
static const char *
opts_end_json(struct opts *o)
{
	const char *name = o->o_file.ofi_name;

	switch (o->o_file.ofi_kind) {
	case FILE_TEXT:
	case FILE_KCOV:
		return NULL;
	case FILE_DT:
		if (strcmp(name, "-") == 0 || opts_kind(name) == FILE_DT)
			return "-j prints JSON, but -o FILE.dt and -o - write "
			       "a recording; dt report -j FILE.dt prints it as "
			       "JSON";
		break;
	case FILE_SPEEDSCOPE:
		break;
	default:
		return "-j writes JSON: -o should be a FILE.json";
	}
	o->o_file.ofi_kind = FILE_TEXT;
	return NULL;
}

const char *
opts_end_file(struct opts *o)
{
	const struct opts_file *of = &o->o_file;
	int isnamed = of->ofi_name != NULL && strcmp(of->ofi_name, "-") != 0;
	int isrecording;
	const char *bad;

	if (of->ofi_name != NULL && o->o_print.opi_json &&
	    (bad = opts_end_json(o)) != NULL)
		return bad;
	isrecording = opts_isrecording(o);
	if (of->ofi_last != 0 && !(isrecording && isnamed))
		return "--last needs the name of a file: -o FILE.dt";
	if (of->ofi_last != 0 && (of->ofi_max != 0 || of->ofi_n != 0))
		return "--last limits the file by --memory, not by --max-size or "
		       "--rotate";
	if (of->ofi_memory != 0 && of->ofi_last == 0)
		return "--memory needs --last TIME";
	if (of->ofi_max != 0 && !isrecording)
		return "--max-size needs a file: -o FILE.dt";
	if (of->ofi_embed && !isrecording)
		return "--embed-symbols needs a recording: -o FILE.dt";
	if (of->ofi_n != 0 && !(isrecording && isnamed))
		return "--rotate needs the name of a file: -o FILE.dt";
	return NULL;
}
