/* SPDX-License-Identifier: ISC */
/*
 * Completion of command lines, for the shells: share/completions has a script for
 * each, which runs "dt complete WORD ..." with the words after "dt".  The last
 * word is the one to complete, and may be empty.
 */
#ifndef CLI_COMPLETE_COMPLETE_H
#define CLI_COMPLETE_COMPLETE_H

#include "cli/opts/cmd.h"

struct complete {
	const struct cmd *const *cpl_cmds; /* all, terminated by NULL */
	const struct cmd *cpl_cmd;	   /* the one of the line */
	char **cpl_words;		   /* after the command */
	int cpl_nwords;
	const char *cpl_keep; /* the part of the last word that stays */
	size_t cpl_nkeep;
	const char *cpl_word; /* the rest of it, to complete */
};

/*
 * Prints the words that may follow, one per line; words that continue end in ':'
 * or ','.  Prints nothing where a file or a command is expected.
 */
int complete(const struct cmd *const *cmds, int nwords, char **words);

/* Prints a candidate, if it begins with the word. */
void complete_put(const struct complete *, const char *candidate);
/* Prints the values of an option, by its long name. */
void complete_value(struct complete *, const char *option);
/* Prints the probes that begin with the word, up to the next colon. */
void complete_probes(const struct complete *);
/* Prints the fields of the probes in the line. */
void complete_fields(const struct complete *);

#endif /* CLI_COMPLETE_COMPLETE_H */
