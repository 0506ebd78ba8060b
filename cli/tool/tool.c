/* SPDX-License-Identifier: ISC */
/* Reads the file of a tool. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/tool/tool.h"

/* A text that is split into words, in place. */
struct tool_lex {
	char *tx_in, *tx_out;
	unsigned int tx_line;
	char *tx_why;
	size_t tx_nwhy;
};

static int __attribute__((format(printf, 2, 3)))
tool_bad(const struct tool_lex *tx, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(tx->tx_why, tx->tx_nwhy, "line %u: ", tx->tx_line);

	va_start(ap, fmt);
	vsnprintf(tx->tx_why + n, tx->tx_nwhy - n, fmt, ap);
	va_end(ap);
	return -1;
}

static void
tool_blanks(struct tool_lex *tx)
{
	for (;; tx->tx_in++) {
		if (*tx->tx_in == '#')
			tx->tx_in += strcspn(tx->tx_in, "\n");
		if (*tx->tx_in == '\n')
			tx->tx_line++;
		else if (*tx->tx_in != ' ' && *tx->tx_in != '\t')
			return;
	}
}

static int
tool_quoted(struct tool_lex *tx)
{
	const char quote = *tx->tx_in++;

	while (*tx->tx_in != quote) {
		if (*tx->tx_in == '\0' || *tx->tx_in == '\n')
			return tool_bad(tx, "a %c does not end in its line",
			    quote);
		*tx->tx_out++ = *tx->tx_in++;
	}
	tx->tx_in++;
	return 0;
}

/* Reads one word, whose end becomes a NUL. */
static int
tool_word(struct tool_lex *tx)
{
	char end;

	while (strchr(" \t\n", *tx->tx_in) == NULL) {
		if (*tx->tx_in != '\'' && *tx->tx_in != '"')
			*tx->tx_out++ = *tx->tx_in++;
		else if (tool_quoted(tx) == -1)
			return -1;
	}
	/* the word and its NUL take no more than they had, except at the end */
	end = *tx->tx_in;
	*tx->tx_out++ = '\0';
	if (end != '\0')
		tx->tx_in++;
	tx->tx_line += end == '\n';
	return end != '\0';
}

static int
tool_words(struct tool *tl, struct tool_lex *tx)
{
	int more = 1;

	for (;;) {
		if (more)
			tool_blanks(tx);
		if (!more || *tx->tx_in == '\0')
			break;
		if (tl->tl_nwords == TOOL_MAXWORDS)
			return tool_bad(tx, "more than %d words",
			    TOOL_MAXWORDS);
		tx->tx_out = tx->tx_in;
		tl->tl_words[tl->tl_nwords] = tx->tx_out;
		if ((more = tool_word(tx)) == -1)
			return -1;
		tl->tl_nwords++;
	}
	if (tl->tl_nwords == 0)
		return tool_bad(tx,
		    "needs a command of dt, for example "
		    "record 'syscall:open*'");
	return 0;
}

/* Returns whether a tool may run this subcommand: one that takes a command. */
static int
tool_isallowed(const char *word)
{
	static const char *const subs[] = { "record", "stat", "syscalls",
		"profile", "offcpu" };
	size_t i;

	for (i = 0; i < sizeof(subs) / sizeof(subs[0]); i++)
		if (strcmp(subs[i], word) == 0)
			return 1;
	return 0;
}

static int
tool_parse(struct tool *tl, char *why, size_t nwhy)
{
	struct tool_lex tx = { .tx_line = 1, .tx_why = why, .tx_nwhy = nwhy };
	char *end = strchr(tl->tl_text, '\n');

	if (strncmp(tl->tl_text, "# ", 2) != 0 || end == NULL)
		return tool_bad(&tx, "should be '# ' and what the tool prints");
	*end = '\0';
	tl->tl_what = tl->tl_text + 2;
	tx.tx_in = end + 1;
	tx.tx_line++;
	if (tool_words(tl, &tx) == -1)
		return -1;
	if (tool_isallowed(tl->tl_words[0]))
		return 0;
	snprintf(why, nwhy,
	    "'%s' should be record, stat, syscalls, profile or offcpu",
	    tl->tl_words[0]);
	return -1;
}

/* Reads a file that is not larger than a tool can be. */
static int
tool_slurp(struct tool *tl, int fd, char *why, size_t nwhy)
{
	size_t n = 0;
	ssize_t r;

	while ((r = read(fd, tl->tl_text + n, TOOL_MAXSIZE + 1 - n)) > 0)
		if ((n += r) > TOOL_MAXSIZE) {
			snprintf(why, nwhy, "has more than %d bytes",
			    TOOL_MAXSIZE);
			return -1;
		}
	if (r == -1) {
		snprintf(why, nwhy, "%s", strerror(errno));
		return -1;
	}
	if (memchr(tl->tl_text, '\0', n) != NULL) {
		snprintf(why, nwhy, "is not a text");
		return -1;
	}
	return 0;
}

int
tool_read(struct tool *tl, const char *path, char *why, size_t nwhy)
{
	int fd, r;

	*tl = (struct tool){ .tl_text = calloc(1, TOOL_MAXSIZE + 2) };
	fd = tl->tl_text != NULL
	    ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
	    : -1;
	if (fd == -1) {
		snprintf(why, nwhy, "%s", strerror(errno));
		tool_free(tl);
		return -1;
	}
	r = tool_slurp(tl, fd, why, nwhy);
	close(fd);
	if (r == 0)
		r = tool_parse(tl, why, nwhy);
	if (r == -1)
		tool_free(tl);
	return r;
}

void
tool_free(struct tool *tl)
{
	free(tl->tl_text);
	tl->tl_text = NULL;
}
