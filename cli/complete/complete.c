/* SPDX-License-Identifier: ISC */
/* Finds out what the last word of a command line can be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complete/complete.h"
#include "cli/tool/tool_dir.h"

void
complete_put(const struct complete *cpl, const char *candidate)
{
	if (strncmp(candidate, cpl->cpl_word, strlen(cpl->cpl_word)) == 0)
		printf("%.*s%s\n", (int)cpl->cpl_nkeep, cpl->cpl_keep,
		    candidate);
}

/* Subcommands of a subcommand have two words, of which the second is printed. */
static void
complete_cmds(const struct complete *cpl, const struct cmd *const *cmds)
{
	const char *space;

	for (; *cmds != NULL; cmds++) {
		space = strchr((*cmds)->cmd_name, ' ');
		complete_put(cpl,
		    space != NULL ? space + 1 : (*cmds)->cmd_name);
	}
}

static const struct cmd *
complete_find(const struct cmd *const *cmds, const char *name)
{
	const char *space;

	for (; *cmds != NULL; cmds++) {
		space = strchr((*cmds)->cmd_name, ' ');
		if (strcmp(space != NULL ? space + 1 : (*cmds)->cmd_name,
			name) == 0)
			return *cmds;
	}
	return NULL;
}

static void
complete_options(const struct complete *cpl)
{
	const struct opt *rows[OPTS_MAX];
	unsigned int i, n = opts_collect(cpl->cpl_cmd, rows);
	char name[DTNAMESIZE];

	for (i = 0; i < n; i++) {
		if (rows[i]->opt_type == OPT_HEAD)
			continue;
		if (rows[i]->opt_long != NULL)
			snprintf(name, sizeof(name), "--%s", rows[i]->opt_long);
		else
			snprintf(name, sizeof(name), "-%c",
			    rows[i]->opt_letter);
		complete_put(cpl, name);
	}
}

/* Returns the option that a word names, if it has an argument, else NULL. */
static const struct opt *
complete_option(const struct complete *cpl, const char *word, size_t len)
{
	const struct opt *rows[OPTS_MAX], *op;
	unsigned int i, n = opts_collect(cpl->cpl_cmd, rows);

	for (i = 0; i < n; i++) {
		op = rows[i];
		if (op->opt_type == OPT_HEAD || op->opt_arg == NULL)
			continue;
		if (len == 2 && word[0] == '-' && word[1] == op->opt_letter)
			return op;
		if (len > 2 && op->opt_long != NULL &&
		    strncmp(word, "--", 2) == 0 &&
		    strlen(op->opt_long) == len - 2 &&
		    memcmp(op->opt_long, word + 2, len - 2) == 0)
			return op;
	}
	return NULL;
}

static void
complete_tools(const struct complete *cpl)
{
	struct tool_entry *ten;
	size_t i, n = tool_dir_list(&ten);

	for (i = 0; i < n; i++)
		complete_put(cpl, ten[i].ten_name);
	free(ten);
}

/* Keeps the first n characters of the word. */
static void
complete_keep(struct complete *cpl, size_t n)
{
	cpl->cpl_keep = cpl->cpl_word;
	cpl->cpl_nkeep = n;
	cpl->cpl_word += n;
}

static int
complete_hascommand(const struct complete *cpl)
{
	int i;

	for (i = 0; i < cpl->cpl_nwords - 1; i++)
		if (strcmp(cpl->cpl_words[i], "--") == 0)
			return 1;
	return 0;
}

/* A word after the subcommand. */
static void
complete_word(struct complete *cpl)
{
	const struct opt *op = NULL;
	const char *before, *equals;

	cpl->cpl_word = cpl->cpl_words[cpl->cpl_nwords - 1];
	if (complete_hascommand(cpl))
		return;
	if (cpl->cpl_nwords > 1) {
		before = cpl->cpl_words[cpl->cpl_nwords - 2];
		op = complete_option(cpl, before, strlen(before));
	}
	equals = strchr(cpl->cpl_word, '=');
	if (op == NULL && *cpl->cpl_word == '-' && equals != NULL) {
		op = complete_option(cpl, cpl->cpl_word,
		    equals - cpl->cpl_word);
		complete_keep(cpl, equals + 1 - cpl->cpl_word);
	}
	if (op != NULL && op->opt_long != NULL)
		complete_value(cpl, op->opt_long);
	else if (op == NULL && *cpl->cpl_word == '-')
		complete_options(cpl);
	else if (op == NULL && cpl->cpl_cmd->cmd_flags & CMD_PROBES)
		complete_probes(cpl);
}

/* dt run NAME: the words after it are those of another subcommand. */
static void
complete_run(struct complete *cpl)
{
	cpl->cpl_word = cpl->cpl_words[0];
	if (cpl->cpl_word[0] == '-')
		complete_word(cpl);
	else if (cpl->cpl_nwords == 1)
		complete_tools(cpl);
}

int
complete(const struct cmd *const *cmds, int nwords, char **words)
{
	struct complete cpl = { .cpl_cmds = cmds };
	const struct cmd *const *subs = cmds;

	for (; nwords > 1; nwords--, words++) {
		if (subs == NULL)
			break;
		if (subs == cmds && strcmp(*words, "help") == 0)
			continue;
		if ((cpl.cpl_cmd = complete_find(subs, *words)) == NULL)
			return 0;
		subs = cpl.cpl_cmd->cmd_subs;
	}
	if (nwords < 1)
		return 0;
	cpl.cpl_words = words;
	cpl.cpl_nwords = nwords;
	cpl.cpl_word = *words;
	if (subs != NULL) {
		complete_cmds(&cpl, subs);
		if (subs == cmds)
			complete_put(&cpl, "help");
	} else if (strcmp(cpl.cpl_cmd->cmd_name, "run") == 0)
		complete_run(&cpl);
	else
		complete_word(&cpl);
	return 0;
}
