/* SPDX-License-Identifier: ISC */
/*
 * Parses the options of opts.h.  The tables are the source both for
 * getopt_long(3) and for --help.  Options may be before and after operands, but
 * only "--" starts a command, whose arguments are not parsed.
 */
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "cli/base/suggest.h"
#include "cli/opts/cmd.h"
#include "cli/opts/opts.h"

#define OPTS_LONGBASE 256 /* getopt's value for the first row */
#define OPTS_WIDTH    80  /* columns of a line of help */
#define OPTS_INDENT   27  /* columns before an option's text */

static const struct opt opts_all[] = {
	OPT_GROUP(""),
	{ 'h', "help", NULL, "print this help", OPT_FLAG, OPT(o_help) },
	{ 0 },
};

/* The tables of options, and the subcommands that have them. */
static const struct {
	unsigned int flag; /* bits of cmd_flags; 0: all subcommands */
	const struct opt *rows;
} opts_tables[] = {
	{ CMD_PAIRS, opts_pairs },
	{ CMD_RECORDS, opts_filters },
	{ CMD_RECORDS | CMD_PROBES, opts_paths },
	{ CMD_RECORDS, opts_recording },
	{ CMD_RECORDS, opts_functions },
	{ CMD_HOSTS, opts_hosts },
	{ 0, opts_all },
};

#define OPTS_NTABLES (sizeof(opts_tables) / sizeof(opts_tables[0]))

/* A subcommand's own rows come first, and replace others of the same name. */
static int
opts_hasname(const struct opt **rows, unsigned int n, const char *name)
{
	unsigned int i;

	for (i = 0; i < n && name != NULL; i++)
		if (rows[i]->opt_long != NULL &&
		    strcmp(rows[i]->opt_long, name) == 0)
			return 1;
	return 0;
}

static unsigned int
opts_collect_table(const struct opt *op, const struct opt **rows,
    unsigned int n)
{
	for (; op != NULL && op->opt_type != OPT_END; op++)
		if (n < OPTS_MAX && !opts_hasname(rows, n, op->opt_long))
			rows[n++] = op;
	return n;
}

unsigned int
opts_collect(const struct cmd *cmd, const struct opt **rows)
{
	unsigned int flag, i, n = opts_collect_table(cmd->cmd_opts, rows, 0);

	for (i = 0; i < OPTS_NTABLES; i++) {
		flag = opts_tables[i].flag;
		if ((cmd->cmd_flags & flag) == flag)
			n = opts_collect_table(opts_tables[i].rows, rows, n);
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

/* Reports an unknown long option, and the most similar one. */
static int
opts_unknown(const struct opt **rows, unsigned int n, const char *arg,
    char *why, size_t nwhy)
{
	const char *names[OPTS_MAX], *near;
	char name[DTNAMESIZE];
	unsigned int i, nnames = 0;

	for (i = 0; i < n; i++)
		if (rows[i]->opt_long != NULL)
			names[nnames++] = rows[i]->opt_long;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg + 2, "="),
	    arg + 2);
	if ((near = suggest_word(name, names, nnames)) == NULL)
		return opts_bad(why, nwhy, "there is no option %s", arg);
	return opts_bad(why, nwhy, "there is no option %s; did you mean --%s?",
	    arg, near);
}

/* Letters of strace(1) and perf(1) that are something else here. */
static const struct {
	int letter;
	const char *cmds; /* with a blank after each */
	const char *use;
} opts_foreign[] = {
	{ 'P', "trace ", "--path PREFIX selects calls by their files" },
	{ 'C', "trace ", "-c counts the calls" },
	{ 'w', "trace ", "-c prints the elapsed times of calls" },
	{ 'n', "stat ", "-d TIME ends it, and --top N limits the rows" },
	{ 'g', "profile offcpu ", "it has the stacks of all hits" },
	{ 'g', "stat ", "--by kstack,ustack counts by stacks" },
	{ 'e', "record stat ", "probes are operands: 'dt list' prints them" },
	{ 'e', "profile ", "--on PROBE takes the stacks of its hits" },
	{ 'a', "record stat syscalls trace profile offcpu where top ",
	    "without a command and -p, it is of all processes" },
};

static const char *
opts_foreign_use(const struct cmd *cmd, int letter)
{
	char name[32];
	size_t i;

	snprintf(name, sizeof(name), "%s ", cmd->cmd_name);
	for (i = 0; i < sizeof(opts_foreign) / sizeof(opts_foreign[0]); i++)
		if (opts_foreign[i].letter == letter &&
		    strstr(opts_foreign[i].cmds, name) != NULL)
			return opts_foreign[i].use;
	return NULL;
}

/*
 * Reports an option that getopt_long(3) refused; a long one is argv[optind -
 * 1].
 */
static int
opts_refused(int c, const struct cmd *cmd, const struct opt **rows,
    unsigned int n, char **argv, char *why, size_t nwhy)
{
	int islong = optopt == 0 || optopt >= OPTS_LONGBASE;
	const char *use;

	if (c == ':' && islong)
		return opts_bad(why, nwhy, "%s needs an argument",
		    argv[optind - 1]);
	if (c == ':')
		return opts_bad(why, nwhy, "-%c needs an argument", optopt);
	if (optopt == 0)
		return opts_unknown(rows, n, argv[optind - 1], why, nwhy);
	if (islong)
		return opts_bad(why, nwhy, "%s: it takes no argument",
		    argv[optind - 1]);
	if (optopt == 'H')
		return opts_bad(why, nwhy,
		    "cannot run on other machines: -H is for stat, syscalls, "
		    "trace, top, record, profile, offcpu and run");
	if ((use = opts_foreign_use(cmd, optopt)) != NULL)
		return opts_bad(why, nwhy, "there is no option -%c; %s", optopt,
		    use);
	return opts_bad(why, nwhy, "there is no option -%c", optopt);
}

/* Stores the value of a row. */
static int
opts_set(struct opts *o, const struct opt *op, char *why, size_t nwhy)
{
	const char *bad = opts_value(o, op, optarg);

	if (bad == NULL)
		return 0;
	if (op->opt_letter != 0)
		return opts_bad(why, nwhy, "-%c %s: %s", op->opt_letter, optarg,
		    bad);
	return opts_bad(why, nwhy, "--%s %s: %s", op->opt_long, optarg, bad);
}

/* Prints what to type: most other tools take a command without --. */
static int
opts_unexpected(const struct opts *o, char *why, size_t nwhy)
{
	const char *word = o->o_args[0];

	if ((o->o_cmd->cmd_flags & (CMD_RECORDS | CMD_COMMAND)) == 0)
		return opts_bad(why, nwhy, "unexpected argument '%s'", word);
	return opts_bad(why, nwhy,
	    "unexpected argument '%s'; a command follows --: dt %s -- %s", word,
	    o->o_cmd->cmd_name, word);
}

static int
opts_check(struct opts *o, int sawdashes, char *why, size_t nwhy)
{
	unsigned int flags = o->o_cmd->cmd_flags;
	const char *bad;

	if (o->o_help)
		return 0;
	if (sawdashes && !(flags & (CMD_RECORDS | CMD_COMMAND | CMD_RUNS)))
		return opts_bad(why, nwhy, "takes no command");
	if (sawdashes && o->o_command == NULL)
		return opts_bad(why, nwhy, "-- needs a command after it");
	if ((flags & (CMD_RUNS | CMD_OPTIONAL)) == CMD_RUNS &&
	    o->o_command == NULL)
		return opts_bad(why, nwhy, "needs a command");
	if (o->o_filter.dtfi_set & DTFI_CHILDREN && o->o_select.ose_npids > 1)
		return opts_bad(why, nwhy, "--children needs one process");
	if ((bad = opts_end_pids(o)) != NULL)
		return opts_bad(why, nwhy, "%s", bad);
	if (o->o_filter.dtfi_set & DTFI_CHILDREN &&
	    !(o->o_filter.dtfi_set & DTFI_PID) && o->o_hosts.ohs_names == NULL)
		return opts_bad(why, nwhy,
		    "--children needs a process (-p PID); descendants of a "
		    "command are always traced");
	if (o->o_whose.owh_noinherit && o->o_command == NULL)
		return opts_bad(why, nwhy,
		    "--no-inherit needs a command after --");
	if (o->o_whose.owh_noinherit && o->o_whose.owh_all)
		return opts_bad(why, nwhy,
		    "--no-inherit and --all contradict each other");
	if ((bad = opts_end_file(o)) != NULL ||
	    (bad = opts_check_hosts(o)) != NULL)
		return opts_bad(why, nwhy, "%s", bad);
	if (flags & CMD_NEEDS && o->o_nargs == 0 && o->o_pair.opa_from == NULL)
		return opts_bad(why, nwhy,
		    "needs a probe, for example syscall:openat:entry ('dt list' "
		    "prints all)");
	if (flags & CMD_FILE && o->o_nargs != 1 &&
	    !(flags & CMD_OPTIONAL && o->o_nargs == 0))
		return opts_bad(why, nwhy, "needs one file");
	if (!(flags & (CMD_PROBES | CMD_FILE)) && o->o_nargs > 0)
		return opts_unexpected(o, why, nwhy);
	if (o->o_cmd->cmd_check != NULL &&
	    (bad = o->o_cmd->cmd_check(o)) != NULL)
		return opts_bad(why, nwhy, "%s", bad);
	return 0;
}

/*
 * Converts the rows for getopt_long(3).  The first letter selects the order:
 * operands end the options (+), or are returned in their order (-).
 */
static void
opts_getopt(const struct opt **rows, unsigned int n, int order, char *letters,
    struct option *longs)
{
	unsigned int i;

	*letters++ = order;
	*letters++ = ':'; /* return missing arguments, print nothing */
	for (i = 0; i < n; i++) {
		if (rows[i]->opt_long != NULL)
			*longs++ = (struct option){
				.name = rows[i]->opt_long,
				.has_arg = rows[i]->opt_arg != NULL,
				.val = OPTS_LONGBASE + i,
			};
		if (rows[i]->opt_letter == 0)
			continue;
		*letters++ = rows[i]->opt_letter;
		if (rows[i]->opt_arg != NULL)
			*letters++ = ':';
	}
	*letters = '\0';
	*longs = (struct option){ 0 };
}

static const struct opt *
opts_row(const struct opt **rows, unsigned int n, int c)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (c == OPTS_LONGBASE + (int)i || c == rows[i]->opt_letter)
			return rows[i];
	}
	return NULL;
}

int
opts_scan(const struct cmd *cmd, int argc, char **argv, opts_scan_fn *fn,
    void *arg)
{
	const struct opt *rows[OPTS_MAX], *op;
	struct option longs[OPTS_MAX + 1];
	char letters[2 * OPTS_MAX + 3];
	unsigned int n = opts_collect(cmd, rows);
	int c;

	opts_getopt(rows, n, cmd->cmd_flags & CMD_RUNS ? '+' : '-', letters,
	    longs);
	optind = 0; /* restart (glibc) */
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		op = c != 1 ? opts_row(rows, n, c) : NULL;
		if (c != 1 && op == NULL)
			return -1;
		fn(arg, op, optarg);
	}
	return optind;
}

/*
 * Stores -H before other options are parsed, since names of processes and users
 * are then looked up on other machines.
 */
static void
opts_early(void *arg, const struct opt *op, const char *value)
{
	struct opts *o = arg;

	if (op != NULL && op->opt_letter == 'H')
		o->o_hosts.ohs_names = value;
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

	memset(o, 0, cmd->cmd_size != 0 ? cmd->cmd_size : sizeof(*o));
	o->o_cmd = cmd;
	o->o_args = argv; /* operands move to the front, in place */
	n = opts_collect(cmd, rows);
	if (cmd->cmd_flags & CMD_HOSTS)
		opts_scan(cmd, argc, argv, opts_early, o);
	opts_getopt(rows, n, cmd->cmd_flags & CMD_RUNS ? '+' : '-', letters,
	    longs);
	optind = 0; /* restart (glibc) */
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == 1) {
			o->o_args[o->o_nargs++] = optarg;
			continue;
		}
		if ((op = opts_row(rows, n, c)) == NULL)
			return opts_refused(c, cmd, rows, n, argv, why, nwhy);
		if (opts_set(o, op, why, nwhy) == -1)
			return -1;
		if (o->o_help)
			return 0;
	}
	/* unless CMD_RUNS is set, only "--" ends the options early */
	sawdashes = optind < argc ||
	    (argc > 1 && strcmp(argv[argc - 1], "--") == 0);
	if (optind < argc)
		o->o_command = argv + optind;
	return opts_check(o, sawdashes, why, nwhy);
}

/* Breaks a text between words; column: the first of its first line. */
static void
opts_help_text(FILE *fp, const char *text, int column)
{
	int n;

	for (; *text != '\0'; text += n + (text[n] == ' ')) {
		n = (int)strcspn(text, " ");
		if (column + 1 + n > OPTS_WIDTH) {
			fprintf(fp, "\n%*s", OPTS_INDENT - 1, "");
			column = OPTS_INDENT - 1;
		}
		fprintf(fp, " %.*s", n, text);
		column += 1 + n;
	}
	fputc('\n', fp);
}

/* hasletter: 0 if another option has its letter. */
static void
opts_help_row(FILE *fp, const struct opt *op, int hasletter)
{
	char head[48];
	int column;

	if (op->opt_long != NULL)
		snprintf(head, sizeof(head), "--%s%s%s", op->opt_long,
		    op->opt_arg != NULL ? " " : "",
		    op->opt_arg != NULL ? op->opt_arg : "");
	else
		snprintf(head, sizeof(head), "%s",
		    op->opt_arg != NULL ? op->opt_arg : "");
	if (op->opt_letter == 0 || !hasletter)
		column = fprintf(fp, "      %-20s", head);
	else
		column = fprintf(fp, "  -%c%c %-20s", op->opt_letter,
		    op->opt_long != NULL ? ',' : ' ', head);
	opts_help_text(fp, op->opt_help, column);
}

void
opts_help(FILE *fp, const struct cmd *cmd)
{
	const struct opt *rows[OPTS_MAX];
	unsigned int i, n = opts_collect(cmd, rows);

	if (rows[0]->opt_type != OPT_HEAD)
		fputc('\n', fp);
	for (i = 0; i < n; i++) {
		if (rows[i]->opt_type != OPT_HEAD)
			opts_help_row(fp, rows[i],
			    opts_row(rows, n, rows[i]->opt_letter) == rows[i]);
		else if (*rows[i]->opt_help == '\0')
			fputc('\n', fp);
		else
			fprintf(fp, "\n%s:\n", rows[i]->opt_help);
	}
}
