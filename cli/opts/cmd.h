/* SPDX-License-Identifier: ISC */
/*
 * A subcommand: all that main.c knows of it.  A new one is its file
 * cmd_NAME.c and a line in the list of main.c.
 */
#ifndef CLI_OPTS_CMD_H
#define CLI_OPTS_CMD_H

#include "cli/opts/opts.h"

struct cmd {
	const char *cmd_name;
	const char *cmd_args;	       /* for the usage line */
	const char *cmd_what;	       /* half a sentence */
	int (*cmd_run)(struct opts *); /* exit status */
	/* instead: takes its arguments by itself, argv[0] is its name */
	int (*cmd_main)(int argc, char **argv);
	const char *cmd_help;	    /* of these, for --help */
	const struct opt *cmd_opts; /* its own, ended by zeros */
	unsigned int cmd_flags;	    /* CMD_* */
	/* NULL, or what is wrong with the options together; may be NULL */
	const char *(*cmd_check)(const struct opts *);
	const char *cmd_examples; /* work as they stand */
};

#define CMD_RECORDS 0x1	 /* takes the options of recording, and -- */
#define CMD_PROBES  0x2	 /* takes probes */
#define CMD_NEEDS   0x4	 /* and at least one */
#define CMD_FILE    0x8	 /* takes one file */
#define CMD_PAIRS   0x10 /* takes the options of pairs */
#define CMD_COMMAND 0x20 /* takes -- without the options of recording */

#endif /* CLI_OPTS_CMD_H */
