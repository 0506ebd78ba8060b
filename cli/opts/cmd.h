/* SPDX-License-Identifier: ISC */
/*
 * A subcommand, as main.c sees it.  A new one is a file cmd_NAME.c and a line
 * in the list of main.c.
 */
#ifndef CLI_OPTS_CMD_H
#define CLI_OPTS_CMD_H

#include "cli/opts/opts.h"

struct cmd {
	const char *cmd_name;
	const char *cmd_args;	       /* for the usage line */
	const char *cmd_what;	       /* summary for the list of commands */
	int (*cmd_run)(struct opts *); /* returns the exit status */
	/*
	 * alternative to cmd_run: parses its own arguments, argv[0] is its name
	 */
	int (*cmd_main)(int argc, char **argv);
	const char *cmd_help;	    /* options of cmd_main, for --help */
	const struct opt *cmd_opts; /* options, terminated by zeros */
	unsigned int cmd_flags;	    /* CMD_* */
	/*
	 * returns NULL, or why the options contradict each other; may be NULL
	 */
	const char *(*cmd_check)(const struct opts *);
	const char *cmd_examples; /* can be run as printed */
};

#define CMD_RECORDS 0x1	 /* takes the options of recording, and -- */
#define CMD_PROBES  0x2	 /* takes probes */
#define CMD_NEEDS   0x4	 /* requires at least one probe */
#define CMD_FILE    0x8	 /* takes one file */
#define CMD_PAIRS   0x10 /* takes the options of pairs */
#define CMD_COMMAND 0x20 /* takes -- without the options of recording */

#endif /* CLI_OPTS_CMD_H */
