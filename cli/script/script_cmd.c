/* SPDX-License-Identifier: ISC */
/*
 * Parses the command line of a script: options may be anywhere, the operands
 * are the script and its parameters, and a command follows "--".
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hosts/hosts.h"
#include "cli/opts/cmd.h"
#include "cli/script/script_cmd.h"
#include "cli/script/script_file.h"
#include "cli/script/script_session.h"

#define CMD_USAGE 2

#define SCRIPT_FLAG(letter, name, txt, member) \
	{ \
		letter, name, NULL, txt, OPT_FLAG, \
		    OPT_OF(struct script_opts, sco_##member) \
	}
#define SCRIPT_LIMIT(name, arg, txt, member, max) \
	{ \
		0, name, arg, txt, OPT_NUMBER, \
		    OPT_OF(struct script_opts, sco_##member), 1, max \
	}

const struct opt script_rows[] = {
	OPT_GROUP("Scripts"),
	{ 'e', NULL, "PROGRAM", "run this program, see bt(5)", OPT_STRING,
	    OPT_OF(struct script_opts, sco_program) },
	{ 'c', NULL, "COMMAND", "run a command, like --, in one argument",
	    OPT_STRING, OPT_OF(struct script_opts, sco_command) },
	{ 'o', "output", "FILE",
	    "write to FILE in place of stdout; x.json: JSON", OPT_STRING,
	    OPT_OF(struct script_opts, sco_output),
	    .opt_check = opts_check_text },
	OPT_ROW_JSON,
	SCRIPT_FLAG('l', "list", "print the probes of the script", islist),
	SCRIPT_FLAG(0, "explain", "print what runs where, and what it costs",
	    isexplain),
	SCRIPT_FLAG(0, "dry-run", "check the script and its probes", isdry),
	SCRIPT_FLAG(0, "no-lower", "do everything in dt, for comparison",
	    nolower),
	SCRIPT_FLAG(0, "unsafe", "allow system() and signal()", isunsafe),
	SCRIPT_LIMIT("max-map-keys", "N",
	    "keep N keys per map (default 262144)", keys, 1 << 24),
	SCRIPT_LIMIT("max-string", "BYTES",
	    "cut texts after BYTES (default 4096)", string, 1 << 16),
	SCRIPT_LIMIT("max-loops", "N",
	    "end loops after N turns (default 10000)", loops, 1 << 30),
	OPT_ROW_PIDS,
	{ 0, "socket", "PATH", "connect to dtd at this socket", OPT_STRING,
	    OPT(o_socket) },
	OPT_ROW_CALLGRAPH,
	OPT_ROW_VERBOSE("print notes on the script"),
	{ 0 },
};

static const struct cmd cmd_script = {
	.cmd_name = "run",
	.cmd_args = "[OPTION ...] SCRIPT.bt [ARGUMENT ...] [-- COMMAND]",
	.cmd_size = sizeof(struct script_opts),
	.cmd_opts = script_rows,
	.cmd_flags = CMD_RECORDS | CMD_PROBES | CMD_HOSTS,
};

/*
 * Copies a word without its quotes to *out, and ends it.  Returns the rest of
 * the command.
 */
static const char *
cmd_word(const char *in, char **out)
{
	char quote = 0;

	for (; *in != '\0' && (quote != 0 || strchr(" \t\n", *in) == NULL);
	     in++)
		if (quote == 0 && (*in == '\'' || *in == '"'))
			quote = *in;
		else if (*in == quote)
			quote = 0;
		else
			*(*out)++ = *in;
	if (quote != 0)
		errx(CMD_USAGE, "-c: a %c does not end", quote);
	*(*out)++ = '\0';
	return in;
}

/* Splits the command of -c at blanks outside of quotes. */
static char **
cmd_split(const char *command)
{
	const size_t size = strlen(command) + 2;
	char *out = malloc(size), **argv = calloc(size, sizeof(*argv));
	size_t n = 0;

	if (out == NULL || argv == NULL)
		err(1, NULL);
	argv[0] = out;
	while (*(command += strspn(command, " \t\n")) != '\0') {
		argv[n++] = out;
		command = cmd_word(command, &out);
	}
	if (n == 0)
		errx(CMD_USAGE, "-c needs a command");
	return argv;
}

/* Copies the arguments, since their parser moves operands to the front. */
static char **
cmd_copy(char **argv, int argc)
{
	char **copy = calloc(argc + 1, sizeof(*copy));

	if (copy == NULL)
		err(1, NULL);
	memcpy(copy, argv, argc * sizeof(*copy));
	return copy;
}

int
script_cmd(const struct opts *how, char **argv, const char *file)
{
	struct script_opts *so = calloc(1, sizeof(*so));
	struct opts *o = &so->sco_common;
	char why[512], *text = NULL, **params, **words;
	int argc = 0, status;

	if (so == NULL)
		err(1, NULL);
	while (argv[argc] != NULL)
		argc++;
	words = cmd_copy(argv, argc);
	if (opts_parse(o, &cmd_script, argc, argv, why, sizeof(why)) == -1)
		errx(CMD_USAGE, "run: %s", why);
	o->o_print.opi_fd = how->o_print.opi_fd;
	o->o_print.opi_wire = how->o_print.opi_wire;
	if (so->sco_command != NULL)
		o->o_command = cmd_split(so->sco_command);
	params = o->o_args;
	if (so->sco_program == NULL) {
		params++;
		o->o_nargs--;
		text = script_file_read(file, why, sizeof(why));
		if (text == NULL)
			errx(1, "%s: %s", file, why);
		/* other options, such as --unsafe, are for the caller to give */
		o->o_whose.owh_all |= script_file_hasoption(text, "--all");
		o->o_whose.owh_self |= script_file_hasoption(text, "--self");
	}
	if (o->o_hosts.ohs_names != NULL && so->sco_output != NULL)
		errx(CMD_USAGE, "run: -o excludes -H; redirect the output");
	if (o->o_hosts.ohs_names != NULL)
		status = hosts_run(o, argc, words, text);
	else
		status = script_session(so, file != NULL ? file : "-e",
		    text != NULL ? text : so->sco_program, params, o->o_nargs);
	free(words);
	free(text);
	if (so->sco_command != NULL) {
		free(o->o_command[0]);
		free(o->o_command);
	}
	opts_end(o);
	free(so);
	return status;
}
