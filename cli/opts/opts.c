/* SPDX-License-Identifier: ISC */
/*
 * Parses the options of opts.h.  The tables are the source both for
 * getopt_long(3) and for --help.  Options may be before and after operands, but
 * only "--" starts a command, whose arguments are not parsed.
 */
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "cli/opts/cmd.h"
#include "cli/opts/opts.h"

#define OPTS_MAX      48  /* options of one subcommand */
#define OPTS_LONGBASE 256 /* getopt's value for the first row */

static const char *
opts_set_help(struct opts *o, const char *arg)
{
	(void)arg;
	o->o_help = 1;
	return NULL;
}

static const struct opt opts_all[] = {
	{ 'h', "help", NULL, opts_set_help, "show this" }, { 0 }
};

/*
 * Parsing
 */

/* The tables of options: the subcommands that have them, and their headings. */
static const struct {
	unsigned int flag; /* bit of cmd_flags; 0: all subcommands */
	const struct opt *rows;
	const char *head;
} opts_tables[] = {
	{ CMD_PAIRS, opts_pairs, "Time between two hits:" },
	{ CMD_RECORDS, opts_recording, "What is recorded, and for how long:" },
	{ CMD_RECORDS | CMD_PROBES, opts_probes, "Of calls and functions:" },
	{ 0, opts_all, NULL },
};

#define OPTS_NTABLES (sizeof(opts_tables) / sizeof(opts_tables[0]))

/* Returns a table, or NULL if the subcommand does not have it. */
static const struct opt *
opts_table(const struct cmd *cmd, unsigned int i)
{
	return (cmd->cmd_flags & opts_tables[i].flag) == opts_tables[i].flag
	    ? opts_tables[i].rows
	    : NULL;
}

static unsigned int
opts_collect_table(const struct opt *op, const struct opt **rows,
    unsigned int n)
{
	for (; op != NULL && op->opt_long != NULL; op++) {
		if (n < OPTS_MAX)
			rows[n++] = op;
	}
	return n;
}

/* Collects all options of a subcommand; returns their number. */
static unsigned int
opts_collect(const struct cmd *cmd, const struct opt **rows)
{
	unsigned int i, n = opts_collect_table(cmd->cmd_opts, rows, 0);

	for (i = 0; i < OPTS_NTABLES; i++)
		n = opts_collect_table(opts_table(cmd, i), rows, n);
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

/*
 * Reports an option that getopt_long(3) refused; a long one is argv[optind -
 * 1].
 */
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

/* Calls opt_set of a row. */
static int
opts_set(struct opts *o, const struct opt *op, char *why, size_t nwhy)
{
	const char *bad = op->opt_set(o, optarg);

	if (bad == NULL)
		return 0;
	if (op->opt_letter != 0)
		return opts_bad(why, nwhy, "-%c %s: %s", op->opt_letter, optarg,
		    bad);
	return opts_bad(why, nwhy, "--%s %s: %s", op->opt_long, optarg, bad);
}

/* Checks the file of -o and its format. */
static const char *
opts_check_file(const struct opts *o)
{
	if (o->o_last != 0 &&
	    (o->o_file == NULL || strcmp(o->o_file, "-") == 0))
		return "--last needs the name of a file: -o FILE.dt";
	if (o->o_last != 0 && (o->o_maxsize != 0 || o->o_rotate != 0))
		return "--last limits the file by --memory, not by --max-size or "
		       "--rotate";
	if (o->o_memory != 0 && o->o_last == 0)
		return "--memory is for the newest events: --last TIME";
	if (o->o_maxsize != 0 &&
	    (o->o_file == NULL || o->o_filekind != FILE_DT))
		return "--max-size needs a file: -o FILE.dt";
	if (o->o_embed && (o->o_file == NULL || o->o_filekind != FILE_DT))
		return "--embed-symbols is for a recording: -o FILE.dt";
	if (o->o_rotate != 0 &&
	    (o->o_file == NULL || o->o_filekind != FILE_DT ||
		strcmp(o->o_file, "-") == 0))
		return "--rotate needs the name of a file: -o FILE.dt";
	return NULL;
}

static int
opts_check(const struct opts *o, int sawdashes, char *why, size_t nwhy)
{
	unsigned int flags = o->o_cmd->cmd_flags;
	const char *bad;

	if (o->o_help)
		return 0;
	if (sawdashes && !(flags & (CMD_RECORDS | CMD_COMMAND)))
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
	if ((bad = opts_check_file(o)) != NULL)
		return opts_bad(why, nwhy, "%s", bad);
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

/* Converts the rows for getopt_long(3). */
static void
opts_getopt(const struct opt **rows, unsigned int n, char *letters,
    struct option *longs)
{
	unsigned int i;

	*letters++ = '-'; /* operands are returned in their order */
	*letters++ = ':'; /* return missing arguments, print nothing */
	for (i = 0; i < n; i++) {
		longs[i] = (struct option){
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
	longs[n] = (struct option){ 0 };
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
	optind = 0; /* restart (glibc) */
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
	/* in this mode only "--" ends the options early */
	sawdashes = optind < argc ||
	    (argc > 1 && strcmp(argv[argc - 1], "--") == 0);
	if (optind < argc)
		o->o_command = argv + optind;
	return opts_check(o, sawdashes, why, nwhy);
}

static void
opts_help_table(FILE *fp, const struct opt *op)
{
	char head[48];

	for (; op != NULL && op->opt_long != NULL; op++) {
		snprintf(head, sizeof(head), "--%s%s%s", op->opt_long,
		    op->opt_arg != NULL ? " " : "",
		    op->opt_arg != NULL ? op->opt_arg : "");
		if (op->opt_letter != 0)
			fprintf(fp, "  -%c, %-20s %s\n", op->opt_letter, head,
			    op->opt_help);
		else
			fprintf(fp, "      %-20s %s\n", head, op->opt_help);
	}
}

void
opts_help(FILE *fp, const struct cmd *cmd)
{
	const struct opt *rows;
	unsigned int i;

	opts_help_table(fp, cmd->cmd_opts);
	for (i = 0; i < OPTS_NTABLES; i++) {
		if ((rows = opts_table(cmd, i)) == NULL)
			continue;
		if (opts_tables[i].head != NULL)
			fprintf(fp, "\n%s\n", opts_tables[i].head);
		opts_help_table(fp, rows);
	}
}
