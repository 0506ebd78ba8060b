/* SPDX-License-Identifier: ISC */
/* Options that several subcommands share, each in its own table. */
#include <string.h>

#include "cli/opts/cmd.h"
#include "cli/opts/opts.h"

#define OPTS_MINFILE  (1 << 20) /* minimum of --max-size: probes have to fit */
#define OPTS_MAXFILES 1000

const char *
opts_set_json(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_json = 1;
	return NULL;
}

const char *
opts_set_strict(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_strict = 1;
	return NULL;
}

const char *
opts_set_verbose(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_verbose = 1;
	return NULL;
}

const char *
opts_set_hz(struct opts *o, const char *arg)
{
	uint64_t v;

	if (opts_number(arg, 1, OPTS_MAXHZ, &v) == -1)
		return "should be ticks a second, from 1 to 5000";
	o->o_hz = v;
	return NULL;
}

const char *
opts_set_path(struct opts *o, const char *arg)
{
	if (*arg != '/')
		return "should be how absolute paths begin, as /etc/";
	o->o_path = arg;
	return NULL;
}

const char *
opts_set_top(struct opts *o, const char *arg)
{
	uint64_t v;

	if (opts_number(arg, 1, 1000000, &v) == -1)
		return "should be a number, 1 or more";
	o->o_top = v;
	return NULL;
}

const char *
opts_set_nojoin(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_nojoin = 1;
	return NULL;
}

const char *
opts_set_file(struct opts *o, const char *arg)
{
	o->o_file = arg;
	return *arg == '\0' ? "should be the name of a file, or -" : NULL;
}

/* Formats of a profile. */
static const struct {
	const char *suffix;
	enum opts_file kind;
} opts_suffixes[] = {
	{ ".dt", FILE_DT },
	{ ".folded", FILE_FOLDED },
	{ ".svg", FILE_SVG },
	{ ".html", FILE_HTML },
	{ ".pb.gz", FILE_PPROF },
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
opts_set_drawing(struct opts *o, const char *arg)
{
	int kind = opts_kind(arg);

	if (kind == -1 || kind == FILE_DT)
		return "should end in .folded (folded stacks), .svg or .html "
		       "(flame graph), or .pb.gz (pprof)";
	o->o_filekind = kind;
	return opts_set_file(o, arg);
}

const char *
opts_set_any(struct opts *o, const char *arg)
{
	int kind = strcmp(arg, "-") == 0 ? FILE_DT : opts_kind(arg);

	if (kind == -1)
		return "should end in .dt (recording), .folded (folded "
		       "stacks), .svg or .html (flame graph), or .pb.gz "
		       "(pprof); or be -, a recording on stdout";
	o->o_filekind = kind;
	return opts_set_file(o, arg);
}

const char *
opts_set_embed(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_embed = 1;
	return NULL;
}

const char *
opts_set_lines(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_lines = 1;
	return NULL;
}

const char *
opts_set_maxsize(struct opts *o, const char *arg)
{
	return opts_size(arg, &o->o_maxsize) == -1 ||
		o->o_maxsize < OPTS_MINFILE
	    ? "should be bytes, as 512M or 4G, and 1M at least"
	    : NULL;
}

const char *
opts_set_rotate(struct opts *o, const char *arg)
{
	uint64_t v;

	if (opts_number(arg, 2, OPTS_MAXFILES, &v) == -1)
		return "should be a number of files, from 2 to 1000";
	o->o_rotate = v;
	return NULL;
}

const char *
opts_set_folded(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_folded = 1;
	return NULL;
}

const char *
opts_set_idle(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_idle = 1;
	return NULL;
}

const char *
opts_set_by(struct opts *o, const char *arg)
{
	o->o_by = arg;
	return NULL;
}

const char *
opts_set_maxkeys(struct opts *o, const char *arg)
{
	return opts_number(arg, 1, OPTS_MAXKEYS, &o->o_maxkeys) == -1
	    ? "should be a number, 1 or more"
	    : NULL;
}

const char *
opts_set_sum(struct opts *o, const char *arg)
{
	o->o_sum = arg;
	return NULL;
}

const char *
opts_set_hist(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_hist = 1;
	return NULL;
}
