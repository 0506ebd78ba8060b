/* SPDX-License-Identifier: ISC */
/*
 * dt(1): shows what the kernel or a program is doing now, through the dt
 * device. This file knows the subcommands by their table only.
 *
 * Exit status: 0; 1 an error; 2 wrong usage; 3 losses with --strict; the status
 * of a command that dt has run, unless it is 0.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/opts/cmd.h"
#include "common/errmsg.h"

#define STATUS_USAGE 2

/* The list of subcommands: a line each. */
#define CMDS(X) \
	X(list) \
	X(stat) \
	X(record) \
	X(profile) \
	X(report) \
	X(doctor) \
	X(tprof) \
	X(kcov)

#define CMD_DECLARE(name) extern const struct cmd cmd_##name;
#define CMD_ENTRY(name)	  &cmd_##name,

CMDS(CMD_DECLARE)

static const struct cmd *const cmds[] = { CMDS(CMD_ENTRY) };

#define NCMDS (sizeof(cmds) / sizeof(cmds[0]))

static const struct cmd *
main_find(const char *name)
{
	size_t i;

	for (i = 0; i < NCMDS; i++) {
		if (strcmp(cmds[i]->cmd_name, name) == 0)
			return cmds[i];
	}
	return NULL;
}

static void
main_usage(FILE *fp)
{
	size_t i;

	for (i = 0; i < NCMDS; i++)
		fprintf(fp, "%s dt %s %s\n", i == 0 ? "usage:" : "      ",
		    cmds[i]->cmd_name, cmds[i]->cmd_args);
	fprintf(fp, "\n");
	for (i = 0; i < NCMDS; i++)
		fprintf(fp, "  %-10s %s\n", cmds[i]->cmd_name,
		    cmds[i]->cmd_what);
	fprintf(fp,
	    "\n'dt COMMAND --help' tells all options, and has "
	    "examples; dt(1) tells the rest.\n");
}

static int
main_help(const struct cmd *cmd)
{
	printf("usage: dt %s %s\n\n", cmd->cmd_name, cmd->cmd_args);
	if (cmd->cmd_help != NULL)
		fputs(cmd->cmd_help, stdout);
	else
		opts_help(stdout, cmd);
	printf("\nExamples:\n%s", cmd->cmd_examples);
	return 0;
}

static int
main_unknown(const char *what, const char *name)
{
	warnx("there is no %s '%s'", what, name);
	fputc('\n', stderr);
	main_usage(stderr);
	return STATUS_USAGE;
}

/* dt help, dt help COMMAND */
static int
main_help_cmd(int argc, char **argv)
{
	const struct cmd *cmd;

	if (argc < 2) {
		main_usage(stdout);
		return 0;
	}
	if ((cmd = main_find(argv[1])) == NULL)
		return main_unknown("command", argv[1]);
	return main_help(cmd);
}

static int
main_run(const struct cmd *cmd, int argc, char **argv)
{
	struct opts opts;
	char why[256];

	if (cmd->cmd_main != NULL) {
		if (argc > 1 &&
		    (strcmp(argv[1], "-h") == 0 ||
			strcmp(argv[1], "--help") == 0))
			return main_help(cmd);
		return cmd->cmd_main(argc, argv);
	}
	if (opts_parse(&opts, cmd, argc, argv, why, sizeof(why)) == -1) {
		errmsg("dt %s: %s", cmd->cmd_name, why);
		fprintf(stderr, "usage: dt %s %s\n'dt %s --help' tells more\n",
		    cmd->cmd_name, cmd->cmd_args, cmd->cmd_name);
		return STATUS_USAGE;
	}
	if (opts.o_help)
		return main_help(cmd);
	return cmd->cmd_run(&opts);
}

/*
 * Opens closed descriptors 0 to 2, which would otherwise become sockets of dt.
 */
static void
main_open_std(void)
{
	int fd;

	while ((fd = open("/dev/null", O_RDWR)) != -1) {
		if (fd > STDERR_FILENO) {
			close(fd);
			return;
		}
	}
}

int
main(int argc, char **argv)
{
	const struct cmd *cmd;
	int status;

	main_open_std();
	if (argc < 2) {
		main_usage(stderr);
		return STATUS_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("dt %s\n", DT_RELEASE);
		status = 0;
	} else if (strcmp(argv[1], "help") == 0 ||
	    strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		status = main_help_cmd(argc - 1, argv + 1);
	else if ((cmd = main_find(argv[1])) != NULL)
		status = main_run(cmd, argc - 1, argv + 1);
	else
		status = main_unknown(argv[1][0] == '-' ? "option" : "command",
		    argv[1]);
	if (fflush(stdout) == EOF)
		err(1, "output");
	return status;
}
