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

const char *
opts_check_drawing(struct opts *o, const char *arg)
{
	int kind = opts_kind(arg);

	if (kind == -1 || kind == FILE_DT)
		return "should end in .folded (folded stacks), .svg or .html "
		       "(flame graph), .pb.gz (pprof), .json (speedscope) or "
		       ".firefox.json (Firefox profiler)";
	o->o_file.ofi_kind = kind;
	return NULL;
}

const char *
opts_check_any(struct opts *o, const char *arg)
{
	int kind = strcmp(arg, "-") == 0 ? FILE_DT : opts_kind(arg);

	if (kind == -1)
		return "should end in .dt (recording), .folded (folded "
		       "stacks), .svg or .html (flame graph), .pb.gz (pprof), "
		       ".json (speedscope) or .firefox.json (Firefox "
		       "profiler), or be - (recording on stdout)";
	o->o_file.ofi_kind = kind;
	return NULL;
}

const char *
opts_check_file(const struct opts *o)
{
	const struct opts_file *of = &o->o_file;
	int isnamed = of->ofi_name != NULL && strcmp(of->ofi_name, "-") != 0;
	int isrecording = of->ofi_name != NULL && of->ofi_kind == FILE_DT;

	if (of->ofi_last != 0 && !isnamed)
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
