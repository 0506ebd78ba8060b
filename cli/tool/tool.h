/* SPDX-License-Identifier: ISC */
/*
 * Tools: files with the words of a dt command that answers a common question.
 *
 * A file has the name of its tool.  Its first line is "# " and a description in
 * one line.  The rest is a subcommand of dt and its arguments, in any number of
 * lines: blanks separate words, '...' and "..." quote them, and # begins a
 * comment where a word could begin.
 */
#ifndef CLI_TOOL_TOOL_H
#define CLI_TOOL_TOOL_H

#include <stddef.h>

#define TOOL_MAXSIZE  16384 /* bytes of a file */
#define TOOL_MAXWORDS 256

struct tool {
	char *tl_text; /* what the words and the description are in */
	const char *tl_what;
	char *tl_words[TOOL_MAXWORDS + 1]; /* terminated by NULL */
	unsigned int tl_nwords;
};

/*
 * Reads a file.  Returns 0, or -1 with the reason, which names the line of a
 * mistake but not the file.
 */
int tool_read(struct tool *, const char *path, char *why, size_t nwhy);
void tool_free(struct tool *);

#endif /* CLI_TOOL_TOOL_H */
