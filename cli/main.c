/* SPDX-License-Identifier: ISC */
/*
 * dt(1): shows what the kernel or a program is doing now, through the dt
 * device. This file knows the subcommands by their table only.
 *
 * Exit status: 0; 1 an error; 2 wrong usage; 3 losses with --strict; the status
 * of a command that dt has run, unless it is 0.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/pager.h"
#include "cli/base/suggest.h"
#include "cli/complete/complete.h"
#include "cli/hosts/hosts.h"
#include "cli/hosts/remote.h"
#include "cli/opts/cmd.h"
#include "cli/session/refusal.h"
#include "common/errmsg.h"

#define STATUS_USAGE 2

/* The list of subcommands, one line each. */
#define CMDS(X) \
	X(list) \
	X(run) \
	X(trace) \
	X(stat) \
	X(syscalls) \
	X(top) \
	X(record) \
	X(profile) \
	X(offcpu) \
	X(where) \
	X(report) \
	X(diff) \
	X(doctor) \
	X(tprof) \
	X(kcov)

#define CMD_DECLARE(name) extern const struct cmd cmd_##name;
#define CMD_ENTRY(name)	  &cmd_##name,

CMDS(CMD_DECLARE)

static const struct cmd *const cmds[] = { CMDS(CMD_ENTRY) NULL };

/* Finds a command of a list; the names in cmd_subs have two words. */
static const struct cmd *
main_find(const struct cmd *const *list, const char *name)
{
	const char *space;

	for (; *list != NULL; list++) {
		space = strchr((*list)->cmd_name, ' ');
		if (strcmp(space != NULL ? space + 1 : (*list)->cmd_name,
			name) == 0)
			return *list;
	}
	return NULL;
}

/* The usage of a command; head: "usage:", or blanks. */
static void
main_usage_line(FILE *fp, const char *head, const struct cmd *cmd)
{
	fprintf(fp, "%s dt %s%s%s\n", head, cmd->cmd_name,
	    *cmd->cmd_args != '\0' ? " " : "", cmd->cmd_args);
}

static void
main_usage_list(FILE *fp, const struct cmd *const *list)
{
	const struct cmd *const *cmd;
	int width = 10;

	for (cmd = list; *cmd != NULL; cmd++)
		main_usage_line(fp, cmd == list ? "usage:" : "      ", *cmd);
	fprintf(fp, "\n");
	for (cmd = list; *cmd != NULL; cmd++) {
		if ((int)strlen((*cmd)->cmd_name) > width)
			width = 14; /* tprof analyze */
	}
	for (cmd = list; *cmd != NULL; cmd++)
		fprintf(fp, "  %-*s %s\n", width, (*cmd)->cmd_name,
		    (*cmd)->cmd_what);
}

/* Help is long: a pager shows it on a terminal. */
static void
main_page(void)
{
	pager_want();
	pager_begin();
}

static void
main_usage(void)
{
	main_page();
	main_usage_list(stdout, cmds);
	printf(
	    "\nSee 'dt COMMAND --help' for options and examples, and dt(1) for "
	    "details.\n");
}

/* The text of dt without arguments.  Its commands run as printed. */
static const char main_start[] =
    "dt shows what the kernel and programs do at this moment:\n\n"
    "  dt syscalls -- ls                             # calls of a command, errors\n"
    "  dt trace ls                                   # each call, as strace does\n"
    "  dt top                                        # a screen of busy processes\n"
    "  dt profile -d 5                               # which functions use the CPU\n"
    "  dt offcpu -d 5                                # where threads wait, how long\n"
    "  dt where                                      # what threads are waiting for\n"
    "  dt stat -d 5 --slower 10ms 'syscall:*'        # which calls are slow\n"
    "  dt run                                        # 50 more questions, by name\n"
    "  dt list connect                               # find probes by a word\n"
    "  dt doctor                                     # requirements of dt here\n"
    "\n'dt help' prints all commands, 'dt COMMAND --help' options and examples.\n";

static int
main_help(const struct cmd *cmd)
{
	main_page();
	if (cmd->cmd_subs != NULL) {
		main_usage_list(stdout, cmd->cmd_subs);
		printf("\nSee 'dt %s COMMAND --help' for options.\n",
		    cmd->cmd_name);
	} else {
		main_usage_line(stdout, "usage:", cmd);
		opts_help(stdout, cmd);
	}
	if (cmd->cmd_examples != NULL)
		printf("\nExamples:\n%s", cmd->cmd_examples);
	return 0;
}

#define MAIN_NCMDS (sizeof(cmds) / sizeof(cmds[0]) - 1)

/* Words of other tools, and the commands that answer the same question. */
static const struct {
	const char *word, *use;
} main_foreign[] = {
	{ "check", "dt doctor" },
	{ "count", "dt stat PROBE, or dt syscalls" },
	{ "cover", "dt kcov -- COMMAND" },
	{ "events", "dt list" },
	{ "flamegraph", "dt profile -o FILE.html" },
	{ "ls", "dt list" },
	{ "offcputime", "dt offcpu" },
	{ "print", "dt record PROBE, or dt report FILE.dt" },
	{ "probes", "dt list" },
	{ "sched", "dt offcpu" },
	{ "script", "dt report FILE.dt" },
	{ "strace", "dt trace COMMAND, or dt trace -c COMMAND" },
	{ "syscount", "dt syscalls" },
	{ "usage", "dt help" },
	{ "version", "dt --version" },
};

/* Returns what to use in place of an unknown command, or NULL. */
static const char *
main_near(const char *name, char *buf, size_t size)
{
	const char *names[MAIN_NCMDS], *near;
	size_t i;

	for (i = 0; i < sizeof(main_foreign) / sizeof(main_foreign[0]); i++)
		if (strcmp(name, main_foreign[i].word) == 0)
			return main_foreign[i].use;
	for (i = 0; i < MAIN_NCMDS; i++)
		names[i] = cmds[i]->cmd_name;
	if ((near = suggest_word(name, names, MAIN_NCMDS)) == NULL)
		return NULL;
	snprintf(buf, size, "dt %s", near);
	return buf;
}

static int
main_unknown(const char *what, const char *name)
{
	char buf[32];
	const char *near = main_near(name, buf, sizeof(buf));

	if (near != NULL)
		warnx("there is no %s '%s'; did you mean %s?", what, name,
		    near);
	else
		warnx("there is no %s '%s'; 'dt help' prints all commands",
		    what, name);
	return STATUS_USAGE;
}

/* dt help, dt help COMMAND, dt help tprof COMMAND */
static int
main_help_cmd(int argc, char **argv)
{
	const struct cmd *cmd, *sub;

	if (argc < 2) {
		main_usage();
		return 0;
	}
	if ((cmd = main_find(cmds, argv[1])) == NULL)
		return main_unknown("command", argv[1]);
	if (argc > 2 && cmd->cmd_subs != NULL &&
	    (sub = main_find(cmd->cmd_subs, argv[2])) != NULL)
		cmd = sub;
	return main_help(cmd);
}

/* With 'dt remote': the descriptor of the output, else 0; its format. */
static int main_remotefd, main_isexact;

static int
main_run_local(const struct cmd *cmd, struct opts *opts)
{
	if (main_remotefd != 0) {
		if ((cmd->cmd_flags & CMD_HOSTS) == 0)
			errx(STATUS_USAGE, "%s cannot run for another machine",
			    cmd->cmd_name);
		opts->o_print.opi_fd = main_remotefd;
		opts->o_print.opi_wire = main_isexact ? OPTS_WIRE_EXACT
						      : OPTS_WIRE;
	}
	return cmd->cmd_run(opts);
}

/* argv: the arguments before they were parsed. */
static int
main_run_hosts(const struct cmd *cmd, struct opts *opts, int argc, char **argv)
{
	if (cmd->cmd_output != NULL)
		cmd->cmd_output(opts);
	return hosts_run(opts, argc, argv, NULL);
}

static int
main_run(const struct cmd *cmd, int argc, char **argv)
{
	struct opts *opts;
	char why[256], **words;
	int status;

	opts = calloc(1, cmd->cmd_size != 0 ? cmd->cmd_size : sizeof(*opts));
	words = calloc(argc + 1, sizeof(*words));
	if (opts == NULL || words == NULL)
		err(1, NULL);
	memcpy(words, argv, argc * sizeof(*words));
	if (opts_parse(opts, cmd, argc, argv, why, sizeof(why)) == -1) {
		errmsg("dt %s: %s", cmd->cmd_name, why);
		main_usage_line(stderr, "usage:", cmd);
		fprintf(stderr, "See 'dt %s --help' for options.\n",
		    cmd->cmd_name);
		status = STATUS_USAGE;
	} else if (opts->o_help)
		status = main_help(cmd);
	else if (opts->o_hosts.ohs_names != NULL &&
	    !(cmd->cmd_flags & CMD_OWNHOSTS))
		status = main_run_hosts(cmd, opts, argc, words);
	else
		status = main_run_local(cmd, opts);
	free(words);
	opts_end(opts);
	free(opts);
	return status;
}

/* A subcommand of a subcommand. */
static int
main_run_sub(const struct cmd *cmd, int argc, char **argv)
{
	const struct cmd *sub;

	if (argc > 1 && (sub = main_find(cmd->cmd_subs, argv[1])) != NULL)
		return main_run(sub, argc - 1, argv + 1);
	if (argc > 1 &&
	    (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0))
		return main_help(cmd);
	if (argc > 1)
		warnx("%s has no '%s'", cmd->cmd_name, argv[1]);
	main_usage_list(stderr, cmd->cmd_subs);
	return STATUS_USAGE;
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

/* Returns the status of the words after options of dt itself. */
static int
main_words(int argc, char **argv)
{
	const struct cmd *cmd;
	int status;

	if (argc < 2) {
		fputs(main_start, stdout);
		status = STATUS_USAGE;
	} else if (strcmp(argv[1], "--version") == 0 ||
	    strcmp(argv[1], "-V") == 0) {
		printf("dt %s\n", DT_RELEASE);
		status = 0;
	} else if (strcmp(argv[1], "help") == 0 ||
	    strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		status = main_help_cmd(argc - 1, argv + 1);
	else if (strcmp(argv[1], "complete") == 0)
		status = complete(cmds, argc - 2, argv + 2);
	else if ((cmd = main_find(cmds, argv[1])) != NULL)
		status = cmd->cmd_subs != NULL
		    ? main_run_sub(cmd, argc - 1, argv + 1)
		    : main_run(cmd, argc - 1, argv + 1);
	else
		status = main_unknown(argv[1][0] == '-' ? "option" : "command",
		    argv[1]);
	return status;
}

int
main(int argc, char **argv)
{
	int status;

	main_open_std();
	refusal_import();
	if (argc == 2 && strcmp(argv[1], "remote") == 0)
		main_remotefd = remote_begin(&argc, &argv, &main_isexact);
	if (argc > 1 && strcmp(argv[1], "--no-pager") == 0) {
		pager_off();
		argc--;
		argv++;
	}
	status = main_words(argc, argv);
	if (fflush(stdout) == EOF && !(errno == EPIPE && pager_isused()))
		err(1, "output");
	return status;
}
