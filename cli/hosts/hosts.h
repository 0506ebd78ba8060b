/* SPDX-License-Identifier: ISC */
/* Runs a subcommand on other machines (-H). */
#ifndef CLI_HOSTS_HOSTS_H
#define CLI_HOSTS_HOSTS_H

#include "cli/opts/cmd.h"

/*
 * Runs o_cmd on all machines of -H and prints the merged answers.  argv: the
 * arguments of the subcommand as they were before opts_parse(); script: the
 * text of a script, which is their first operand, or NULL.  Returns the exit
 * status.
 */
int hosts_run(const struct opts *, int argc, char **argv, const char *script);

#endif /* CLI_HOSTS_HOSTS_H */
