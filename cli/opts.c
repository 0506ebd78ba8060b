/* SPDX-License-Identifier: ISC */
/*
 * Parses the options of opts.h.  What getopt_long(3) wants, and what --help
 * shows, are made from the same tables.  Options may stand before and behind
 * operands, but only "--" begins a command, and what follows it is never
 * looked at.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "columns.h"
#include "opts.h"
#include "pair_key.h"

#define OPTS_MAX      48	/* options of one subcommand */
#define OPTS_MINFILE  (1 << 20) /* of --max-size: probes have to fit */
#define OPTS_MAXFILES 1000
#define OPTS_LONGBASE 256 /* getopt's value of the first row */

/*
 * Values
 */

int
opts_number(const char *s, uint64_t min, uint64_t max, uint64_t *vp)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -1; /* strtoull takes "-1" and " 1" */
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno != 0 || *end != '\0' || v < min || v > max)
		return -1;
	*vp = v;
	return 0;
}

int
opts_nsecs(const char *s, uint64_t *vp)
{
	double v;
	char *end;

	if (!isdigit((unsigned char)*s) && *s != '.')
		return -1;
	v = strtod(s, &end);
	if (end == s || *end != '\0' || !(v >= 1e-6 && v <= 1e9) ||
	    strpbrk(s, "xX") != NULL)
		return -1;
	*vp = v * 1e9 + 0.5;
	return 0;
}

int
opts_span(const char *s, uint64_t *vp)
{
	static const struct {
		const char *unit;
		double secs;
	} units[] = { { "ms", 1e-3 }, { "s", 1 }, { "m", 60 }, { "h", 3600 } };
	size_t i, n = strspn(s, "0123456789.");
	char number[32];
	uint64_t v;

	if (s[n] == '\0')
		return opts_nsecs(s, vp);
	if (n >= sizeof(number))
		return -1;
	memcpy(number, s, n);
	number[n] = '\0';
	for (i = 0; strcmp(s + n, units[i].unit) != 0;)
		if (++i == sizeof(units) / sizeof(units[0]))
			return -1;
	if (opts_nsecs(number, &v) == -1 || v * units[i].secs > 1e18)
		return -1;
	*vp = v * units[i].secs;
	return 0;
}

int
opts_latency(const char *s, uint64_t *vp)
{
	static const struct {
		const char *unit;
		double nsecs;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	size_t i, n = strspn(s, "0123456789.");
	char number[32], *end;
	double v;

	if (n == 0 || n >= sizeof(number))
		return -1;
	memcpy(number, s, n);
	number[n] = '\0';
	v = strtod(number, &end);
	if (*end != '\0')
		return -1;
	for (i = 0; strcmp(s + n, units[i].unit) != 0;)
		if (++i == sizeof(units) / sizeof(units[0]))
			return -1;
	if (v * units[i].nsecs > 1e18)
		return -1;
	*vp = v * units[i].nsecs + 0.5;
	return 0;
}

int
opts_size(const char *s, uint64_t *vp)
{
	static const char units[] = "kmg";
	unsigned long long v;
	const char *unit;
	char *end;
	int shift = 0;

	if (!isdigit((unsigned char)*s))
		return -1;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (*end != '\0') {
		unit = strchr(units, tolower((unsigned char)*end));
		if (unit == NULL || end[1] != '\0')
			return -1;
		shift = (unit - units + 1) * 10;
	}
	if (errno != 0 || v == 0 || v > (1ULL << 40) >> shift)
		return -1;
	*vp = v << shift;
	return 0;
}

/*
 * The options of recording
 */

static const char *
opts_set_id(struct opts *o, const char *arg, uint32_t bit, uint32_t *idp)
{
	uint64_t v;

	if (o->o_filter.dtfi_set & bit)
		return "may be given only once";
	if (opts_number(arg, 0, UINT32_MAX - 1, &v) == -1)
		return "should be a number";
	*idp = v;
	o->o_filter.dtfi_set |= bit;
	return NULL;
}

static const char *
opts_set_pid(struct opts *o, const char *arg)
{
	return opts_set_id(o, arg, DTFI_PID, &o->o_filter.dtfi_pid);
}

static const char *
opts_set_children(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_filter.dtfi_set |= DTFI_CHILDREN;
	return NULL;
}

static const char *
opts_set_noinherit(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_noinherit = 1;
	return NULL;
}

static const char *
opts_set_tid(struct opts *o, const char *arg)
{
	return opts_set_id(o, arg, DTFI_TID, &o->o_filter.dtfi_tid);
}

static const char *
opts_set_uid(struct opts *o, const char *arg)
{
	const struct passwd *pw;

	if ((pw = getpwnam(arg)) != NULL) {
		if (o->o_filter.dtfi_set & DTFI_UID)
			return "may be given only once";
		o->o_filter.dtfi_uid = pw->pw_uid;
		o->o_filter.dtfi_set |= DTFI_UID;
		return NULL;
	}
	if (!isdigit((unsigned char)*arg))
		return "is no user here, and no number";
	return opts_set_id(o, arg, DTFI_UID, &o->o_filter.dtfi_uid);
}

/* The kernel keeps 15 characters of a name, so no more can be compared. */
static const char *
opts_set_comm(struct opts *o, const char *arg)
{
	if (o->o_filter.dtfi_set & DTFI_COMM)
		return "may be given only once";
	if (*arg == '\0')
		return "should be the name of a process";
	memset(o->o_filter.dtfi_comm, 0, sizeof(o->o_filter.dtfi_comm));
	memcpy(o->o_filter.dtfi_comm, arg,
	    strnlen(arg, sizeof(o->o_filter.dtfi_comm) - 1));
	o->o_filter.dtfi_set |= DTFI_COMM;
	return NULL;
}

static const char *
opts_set_if(struct opts *o, const char *arg)
{
	if (o->o_if != NULL)
		return "may be given only once; && joins conditions";
	o->o_if = arg;
	return NULL;
}

static const char *
opts_set_cgroup(struct opts *o, const char *arg)
{
	if (o->o_cgroup != NULL)
		return "may be given only once";
	o->o_cgroup = arg;
	return *arg == '\0' ? "should be a path, a unit, or a container" : NULL;
}

static const char *
opts_set_duration(struct opts *o, const char *arg)
{
	return opts_nsecs(arg, &o->o_duration) == -1
	    ? "should be seconds, as 10 or 0.5"
	    : NULL;
}

static const char *
opts_set_budget(struct opts *o, const char *arg)
{
	return opts_size(arg, &o->o_budget) == -1
	    ? "should be bytes, as 512k, 16M or 1G"
	    : NULL;
}

static const char *
opts_set_until(struct opts *o, const char *arg)
{
	if (*arg == '\0')
		return "should be a probe";
	if (o->o_nuntil == OPTS_MAXUNTIL)
		return "is one too many; a pattern may name many probes";
	o->o_until[o->o_nuntil++] = arg;
	return NULL;
}

static const char *
opts_set_self(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_self = 1;
	return NULL;
}

static const char *
opts_set_nolimit(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_nolimit = 1;
	return NULL;
}

static const char *
opts_set_force(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_force = 1;
	return NULL;
}

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
	if (strcmp(o->o_cmd->cmd_name, "profile") == 0)
		return "ticks have no path to choose them by";
	if (*arg != '/')
		return "should be how absolute paths begin, as /etc/";
	o->o_path = arg;
	return NULL;
}

const char *
opts_set_columns(struct opts *o, const char *arg)
{
	struct columns cs;

	o->o_columns = arg;
	return columns_parse(&cs, arg);
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

const char *
opts_set_slower(struct opts *o, const char *arg)
{
	o->o_isslower = 1;
	return opts_latency(arg, &o->o_slower) == -1
	    ? "should be a time with its unit, as 1ms, 200us or 0.5s"
	    : NULL;
}

static const char *
opts_set_probe(const char **probe, const char *arg)
{
	if (*probe != NULL)
		return "may be given only once";
	*probe = arg;
	return *arg == '\0' ? "should be a probe" : NULL;
}

const char *
opts_set_from(struct opts *o, const char *arg)
{
	return opts_set_probe(&o->o_from, arg);
}

const char *
opts_set_to(struct opts *o, const char *arg)
{
	return opts_set_probe(&o->o_to, arg);
}

const char *
opts_set_key(struct opts *o, const char *arg)
{
	struct pair_key_name kn[DTPA_NKEYS];

	o->o_key = arg;
	return pair_key_parse(arg, kn) == 0
	    ? "should be what both have, as tid or dev,sector; or as pid=next"
	    : NULL;
}

const char *
opts_check_pair(const struct opts *o)
{
	if ((o->o_from == NULL) != (o->o_to == NULL))
		return "--from and --to belong together";
	if (o->o_from != NULL && o->o_key == NULL)
		return "--from and --to need --key: what both hits have, as "
		       "tid";
	if (o->o_from == NULL && o->o_key != NULL)
		return "--key is for --from and --to";
	return NULL;
}

static const char *
opts_set_help(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_help = 1;
	return NULL;
}

static const struct opt opts_recording[] = { { 'p', "pid", "PID", opts_set_pid,
						 "only this process" },
	{ 0, "children", NULL, opts_set_children,
	    "with -p: and all processes that descend from it" },
	{ 0, "no-inherit", NULL, opts_set_noinherit,
	    "only the command itself, not what it starts" },
	{ 't', "tid", "TID", opts_set_tid, "only this thread" },
	{ 'u', "uid", "USER", opts_set_uid,
	    "only processes of this user (name or number)" },
	{ 0, "comm", "NAME", opts_set_comm,
	    "only processes of this name (15 characters count)" },
	{ 0, "path", "PREFIX", opts_set_path,
	    "only calls with paths that begin so" },
	{ 0, "if", "EXPR", opts_set_if,
	    "only hits of which this is true, as 'errno == ENOENT'" },
	{ 0, "cgroup", "NAME", opts_set_cgroup,
	    "only this cgroup: a path, unit or container" },
	{ 'd', "duration", "SECONDS", opts_set_duration,
	    "end after so long, as 10 or 0.5" },
	{ 0, "until", "PROBE", opts_set_until,
	    "end with the first event of this probe" },
	{ 'j', "json", NULL, opts_set_json, "print JSON, one object a line" },
	{ 0, "strict", NULL, opts_set_strict,
	    "exit with status 3 when events were lost" },
	{ 0, "buffer", "SIZE", opts_set_budget,
	    "bytes of all ring buffers, as 16M" },
	{ 0, "self", NULL, opts_set_self,
	    "do not leave out dt's own processes" },
	{ 0, "no-limit", NULL, opts_set_nolimit,
	    "go on whatever tracing costs" },
	{ 0, "force", NULL, opts_set_force,
	    "trace more than 1,000 functions of the kernel" },
	{ 0 } };

static const struct opt opts_all[] = {
	{ 'h', "help", NULL, opts_set_help, "show this" }, { 0 }
};

/*
 * Parsing
 */

/* All options of a subcommand; returns how many. */
static unsigned int
opts_collect(const struct cmd *cmd, const struct opt **rows)
{
	const struct opt *tables[] = {
		cmd->cmd_opts,
		cmd->cmd_flags & CMD_RECORDS ? opts_recording : NULL,
		opts_all,
	};
	const struct opt *op;
	unsigned int i, n = 0;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (op = tables[i]; op != NULL && op->op_long != NULL; op++) {
			if (n < OPTS_MAX)
				rows[n++] = op;
		}
	}
	return n;
}

static int __attribute__((format(printf, 3, 4)))
opts_bad(char *why, size_t nwhy, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, nwhy, fmt, ap);
	va_end(ap);
	return -1;
}

/* What getopt_long(3) refused; a long one is argv[optind - 1]. */
static int
opts_refused(int c, char **argv, char *why, size_t nwhy)
{
	int islong = optopt == 0 || optopt >= OPTS_LONGBASE;

	if (c == ':' && islong)
		return opts_bad(why, nwhy, "%s needs an argument",
		    argv[optind - 1]);
	if (c == ':')
		return opts_bad(why, nwhy, "-%c needs an argument", optopt);
	if (optopt == 0)
		return opts_bad(why, nwhy, "there is no option %s",
		    argv[optind - 1]);
	if (islong)
		return opts_bad(why, nwhy, "%s: it takes no argument",
		    argv[optind - 1]);
	return opts_bad(why, nwhy, "there is no option -%c", optopt);
}

/* Calls the function of a row. */
static int
opts_set(struct opts *o, const struct opt *op, char *why, size_t nwhy)
{
	const char *bad = op->op_set(o, optarg);

	if (bad == NULL)
		return 0;
	if (op->op_letter != 0)
		return opts_bad(why, nwhy, "-%c %s: %s", op->op_letter, optarg,
		    bad);
	return opts_bad(why, nwhy, "--%s %s: %s", op->op_long, optarg, bad);
}

static int
opts_check(const struct opts *o, int sawdashes, char *why, size_t nwhy)
{
	unsigned int flags = o->o_cmd->cmd_flags;
	const char *bad;

	if (o->o_help)
		return 0;
	if (sawdashes && !(flags & CMD_RECORDS))
		return opts_bad(why, nwhy, "takes no command");
	if (sawdashes && o->o_command == NULL)
		return opts_bad(why, nwhy, "-- needs a command behind it");
	if (o->o_filter.dtfi_set & DTFI_CHILDREN &&
	    !(o->o_filter.dtfi_set & DTFI_PID))
		return opts_bad(why, nwhy,
		    "--children needs a process (-p PID); those of a "
		    "command are followed anyway");
	if (o->o_noinherit && o->o_command == NULL)
		return opts_bad(why, nwhy,
		    "--no-inherit needs a command behind --");
	if (o->o_last != 0 &&
	    (o->o_file == NULL || strcmp(o->o_file, "-") == 0))
		return opts_bad(why, nwhy,
		    "--last needs the name of a file: -o FILE.dt");
	if (o->o_last != 0 && (o->o_maxsize != 0 || o->o_rotate != 0))
		return opts_bad(why, nwhy,
		    "--last limits the file by --memory, not by --max-size or "
		    "--rotate");
	if (o->o_memory != 0 && o->o_last == 0)
		return opts_bad(why, nwhy,
		    "--memory is for the newest events: --last TIME");
	if (o->o_maxsize != 0 && o->o_file == NULL)
		return opts_bad(why, nwhy,
		    "--max-size needs a file: -o FILE.dt");
	if (o->o_rotate != 0 &&
	    (o->o_file == NULL || strcmp(o->o_file, "-") == 0))
		return opts_bad(why, nwhy,
		    "--rotate needs the name of a file: -o FILE.dt");
	if (flags & CMD_NEEDS && o->o_nargs == 0 && o->o_from == NULL)
		return opts_bad(why, nwhy,
		    "needs a probe, as "
		    "syscall:openat:entry ('dt list' shows all)");
	if (flags & CMD_FILE && o->o_nargs != 1)
		return opts_bad(why, nwhy, "needs one file");
	if (!(flags & (CMD_PROBES | CMD_FILE)) && o->o_nargs > 0)
		return opts_bad(why, nwhy,
		    "'%s' is one too many; a command "
		    "to run stands behind --",
		    o->o_args[0]);
	if (o->o_cmd->cmd_check != NULL &&
	    (bad = o->o_cmd->cmd_check(o)) != NULL)
		return opts_bad(why, nwhy, "%s", bad);
	return 0;
}

/* Fills what getopt_long(3) wants from the rows. */
static void
opts_getopt(const struct opt **rows, unsigned int n, char *letters,
    struct option *longs)
{
	unsigned int i;

	*letters++ = '-'; /* operands come in their order */
	*letters++ = ':'; /* tell what lacks, print nothing */
	for (i = 0; i < n; i++) {
		longs[i] = (struct option){
			.name = rows[i]->op_long,
			.has_arg = rows[i]->op_arg != NULL,
			.val = OPTS_LONGBASE + i,
		};
		if (rows[i]->op_letter == 0)
			continue;
		*letters++ = rows[i]->op_letter;
		if (rows[i]->op_arg != NULL)
			*letters++ = ':';
	}
	*letters = '\0';
	longs[n] = (struct option){ 0 };
}

static const struct opt *
opts_row(const struct opt **rows, unsigned int n, int c)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (c == OPTS_LONGBASE + (int)i || c == rows[i]->op_letter)
			return rows[i];
	}
	return NULL;
}

int
opts_parse(struct opts *o, const struct cmd *cmd, int argc, char **argv,
    char *why, size_t nwhy)
{
	const struct opt *rows[OPTS_MAX], *op;
	struct option longs[OPTS_MAX + 1];
	char letters[2 * OPTS_MAX + 3];
	unsigned int n;
	int c, sawdashes;

	memset(o, 0, sizeof(*o));
	o->o_cmd = cmd;
	o->o_args = argv; /* operands move to the front, in place */
	n = opts_collect(cmd, rows);
	opts_getopt(rows, n, letters, longs);
	optind = 0; /* begin anew (glibc) */
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == 1) {
			o->o_args[o->o_nargs++] = optarg;
			continue;
		}
		if ((op = opts_row(rows, n, c)) == NULL)
			return opts_refused(c, argv, why, nwhy);
		if (opts_set(o, op, why, nwhy) == -1)
			return -1;
		if (o->o_help)
			return 0;
	}
	/* in this mode only "--" ends the options before the end */
	sawdashes = optind < argc ||
	    (argc > 1 && strcmp(argv[argc - 1], "--") == 0);
	if (optind < argc)
		o->o_command = argv + optind;
	return opts_check(o, sawdashes, why, nwhy);
}

void
opts_help(FILE *fp, const struct cmd *cmd)
{
	const struct opt *rows[OPTS_MAX];
	unsigned int i, n = opts_collect(cmd, rows);
	char head[48];

	for (i = 0; i < n; i++) {
		snprintf(head, sizeof(head), "--%s%s%s", rows[i]->op_long,
		    rows[i]->op_arg != NULL ? " " : "",
		    rows[i]->op_arg != NULL ? rows[i]->op_arg : "");
		if (rows[i]->op_letter != 0)
			fprintf(fp, "  -%c, %-20s %s\n", rows[i]->op_letter,
			    head, rows[i]->op_help);
		else
			fprintf(fp, "      %-20s %s\n", head, rows[i]->op_help);
	}
}
