/* SPDX-License-Identifier: ISC */
/* The command line of a script. */
#ifndef CLI_SCRIPT_SCRIPT_CMD_H
#define CLI_SCRIPT_SCRIPT_CMD_H

#include "cli/opts/opts.h"

extern const struct opt script_rows[]; /* of struct script_opts */

/*
 * Runs the script that the command line names, or that -e contains, here or
 * with -H elsewhere.  argv: the arguments of dt run, terminated by NULL; file:
 * the script's path, NULL for -e.  The first argument selects the output.
 */
int script_cmd(const struct opts *, char **argv, const char *file);

#endif /* CLI_SCRIPT_SCRIPT_CMD_H */
