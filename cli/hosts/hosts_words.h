/* SPDX-License-Identifier: ISC */
/* The command line for another machine. */
#ifndef CLI_HOSTS_HOSTS_WORDS_H
#define CLI_HOSTS_HOSTS_WORDS_H

#include "cli/base/buf.h"
#include "cli/opts/cmd.h"

/*
 * Builds the request of hosts_message.h from the options of a subcommand and its
 * arguments, which are not changed.  The options of -H and -o are for this
 * machine only, but -o FILE.json implies -j.  script: the text that replaces the
 * first operand, or NULL.
 */
void hosts_words(struct buf *, const struct opts *, int argc, char **argv,
    const char *script, int isexact);

#endif /* CLI_HOSTS_HOSTS_WORDS_H */
