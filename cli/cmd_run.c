/* SPDX-License-Identifier: ISC */
/*
 * dt run: answers a common question by the command in the file of a tool, or by
 * a script.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/suggest.h"
#include "cli/opts/cmd.h"
#include "cli/script/script_cmd.h"
#include "cli/script/script_file.h"
#include "cli/script/script_session.h"
#include "cli/session/refusal.h"
#include "cli/tool/tool.h"
#include "cli/tool/tool_dir.h"

#define RUN_USAGE    2
#define RUN_MAXTOOLS 1024

static int
run_list(void)
{
	struct tool_entry *ten;
	size_t i, n = tool_dir_list(&ten);
	char why[256], *what;
	int status = 0, width = 0;

	for (i = 0; i < n; i++)
		if ((int)strlen(ten[i].ten_name) > width)
			width = strlen(ten[i].ten_name);
	for (i = 0; i < n; i++) {
		what = script_file_tool(ten[i].ten_path, why, sizeof(why));
		if (what == NULL) {
			warnx("%s: %s", ten[i].ten_path, why);
			status = 1;
			continue;
		}
		printf("%-*s  %s\n", width, ten[i].ten_name, what);
		free(what);
	}
	free(ten);
	if (n == 0)
		errx(1,
		    "there are no tools in " DT_TOOLS_ETC
		    " and " DT_TOOLS_SHARE);
	printf("\n'dt run NAME' runs one, with more options or a command after "
	       "it:\ndt run NAME -d 10, dt run NAME -- COMMAND.\n");
	return status;
}

static void
run_unknown(const char *name, const struct tool_entry *ten, size_t n)
{
	const char *names[RUN_MAXTOOLS], *near;
	size_t i;

	if (n > RUN_MAXTOOLS)
		n = RUN_MAXTOOLS;
	for (i = 0; i < n; i++)
		names[i] = ten[i].ten_name;
	if ((near = suggest_word(name, names, n)) != NULL)
		errx(RUN_USAGE,
		    "there is no tool '%s'; did you mean dt run %s?", name,
		    near);
	if (strchr(name, ':') != NULL)
		errx(RUN_USAGE,
		    "there is no tool '%s'; 'dt list' lists probes, and "
		    "'dt run -e PROGRAM' runs a program",
		    name);
	errx(RUN_USAGE, "there is no tool '%s'; 'dt run' lists them", name);
}

/* Stores the path of a tool; a name with a slash is a path. */
static void
run_find(const char *name, char *path, size_t size)
{
	struct tool_entry *ten;
	size_t i, n;

	if (strchr(name, '/') != NULL) {
		snprintf(path, size, "%s", name);
		return;
	}
	n = tool_dir_list(&ten);
	for (i = 0; i < n && strcmp(ten[i].ten_name, name) != 0; i++)
		;
	if (i == n)
		run_unknown(name, ten, n);
	snprintf(path, size, "%s", ten[i].ten_path);
	free(ten);
}

/* Prints a word as a shell needs it. */
static void
run_print_word(const char *word)
{
	const char *quote = strchr(word, '\'') != NULL ? "\"" : "'";

	if (strpbrk(word, " \t*?[]{}()<>|&;$'\"\\#~!") == NULL && *word != '\0')
		quote = "";
	printf(" %s%s%s", quote, word, quote);
}

/* Prints the lines of comment after the description. */
static void
run_notes(const char *path)
{
	FILE *fp = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int first = 1;

	while (fp != NULL && getline(&line, &size, fp) > 0) {
		if (!first && strncmp(line, "# ", 2) == 0)
			fputs(line + 2, stdout);
		first = 0;
	}
	free(line);
	if (fp != NULL)
		fclose(fp);
}

static int
run_help(const char *name, const char *path, const struct tool *tl)
{
	unsigned int i;

	printf("%s: %s\n", name, tl->tl_what);
	run_notes(path);
	printf("\nIt runs:\n  dt");
	for (i = 0; i < tl->tl_nwords; i++)
		run_print_word(tl->tl_words[i]);
	printf("\n\nOptions of dt %s may follow, and a command:\n"
	       "  dt run %s -d 10\n  dt run %s -- ls\n",
	    tl->tl_words[0], name, name);
	return 0;
}

/* The help of a script: the comment at its begin. */
static int
run_help_script(const char *name, const char *path)
{
	char why[256], *text = script_file_read(path, why, sizeof(why)), *what;
	const char *p;
	size_t notes;

	if (text == NULL)
		errx(1, "%s: %s", path, why);
	if ((what = script_file_what(text, &notes)) == NULL)
		err(1, NULL);
	printf("%s: %s\n", name, what);
	for (p = text + notes; strncmp(p, "//", 2) == 0;
	     p += strcspn(p, "\n") + (strchr(p, '\n') != NULL))
		printf("%.*s\n", (int)strcspn(p + 2, "\n") - (p[2] == ' '),
		    p + 2 + (p[2] == ' '));
	printf("\nIt runs:\n  dt run %s\n\nOptions of dt run may follow, and a "
	       "command:\n  dt run %s -d 10\n  dt run %s -- ls\n",
	    path, name, name);
	free(what);
	free(text);
	return 0;
}

/*
 * Executes dt by its path, which gives the process its name; /proc/self/exe also
 * finds a file that was replaced.
 */
static void __attribute__((noreturn)) run_self(char **argv)
{
	static const char self[] = "/proc/self/exe";
	char path[PATH_MAX];
	ssize_t n = readlink(self, path, sizeof(path) - 1);

	if (n > 0) {
		path[n] = '\0';
		execv(path, argv);
	}
	execv(self, argv);
	err(1, "%s", self);
}

static void __attribute__((noreturn))
run_exec(const struct tool *tl, char **more)
{
	char **argv, **p;
	size_t n = 0;

	while (more[n] != NULL)
		n++;
	if ((argv = calloc(tl->tl_nwords + n + 2, sizeof(*argv))) == NULL)
		err(1, NULL);
	p = argv;
	*p++ = (char *)"dt";
	p = mempcpy(p, tl->tl_words, tl->tl_nwords * sizeof(*argv));
	memcpy(p, more, n * sizeof(*argv));
	refusal_export();
	run_self(argv);
}

static int
run_ishelp(const char *word)
{
	return word != NULL &&
	    (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0);
}

/* Prepares what is printed if the tool needs TRACE_ALL. */
static void
run_advise(const char *name, const char *path)
{
	char *own = script_file_own(path), *text;

	if (own == NULL)
		text = strdup("with TRACE_OWN, tools of system calls run, such "
			      "as: dt run opens");
	else if (asprintf(&text, "in place of dt run %s, you can run: %s", name,
		     own) == -1)
		text = NULL;
	if (text == NULL)
		err(1, NULL);
	free(own);
	refusal_advise(text);
}

static int
run_run(struct opts *opts)
{
	char **more = opts->o_command, path[PATH_MAX], why[256];
	struct tool tl;
	int status;

	/* the command line of a script has its options anywhere */
	if (((struct script_opts *)opts)->sco_program != NULL)
		return script_cmd(opts, opts->o_args, NULL);
	if (more == NULL)
		return run_list();
	if (script_file_is(more[0]))
		snprintf(path, sizeof(path), "%s", more[0]);
	else {
		run_find(more[0], path, sizeof(path));
		if (strchr(more[0], '/') == NULL)
			run_advise(more[0], path);
	}
	if (script_file_is(path))
		return run_ishelp(more[1])
		    ? run_help_script(more[0], path)
		    : script_cmd(opts, opts->o_args, path);
	if (more != opts->o_args + 1)
		errx(RUN_USAGE, "options follow the name: dt run %s %s ...",
		    more[0], opts->o_args[1]);
	if (tool_read(&tl, path, why, sizeof(why)) == -1)
		errx(1, "%s: %s", path, why);
	if (run_ishelp(more[1])) {
		status = run_help(more[0], path, &tl);
		tool_free(&tl);
		return status;
	}
	run_exec(&tl, more + 1);
}

const struct cmd cmd_run = {
	.cmd_name = "run",
	.cmd_args = "[NAME | SCRIPT.bt | -e PROGRAM] [OPTION ...] [-- COMMAND]",
	.cmd_what = "answer a common question by name, or run a script",
	.cmd_run = run_run,
	.cmd_size = sizeof(struct script_opts),
	.cmd_opts = script_rows,
	.cmd_flags = CMD_RUNS | CMD_OPTIONAL | CMD_RECORDS | CMD_PROBES |
	    CMD_HOSTS | CMD_OWNHOSTS,
	.cmd_examples = "  # list the questions\n"
			"  dt run\n"
			"  # print the files that a command opens\n"
			"  dt run opens -- cat /etc/hostname\n"
			"  # print started programs for a second\n"
			"  dt run execs -d 1\n"
			"  # print what a tool runs\n"
			"  dt run slow-io --help\n"
			"  # count the system calls of a command by name\n"
			"  dt run -e 'syscall:*:entry { @[func] = count(); }' "
			"-- ls\n",
};
