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
	 * bytes of its options, which begin with struct opts; 0: it has no
	 * others
	 */
	size_t cmd_size;
	const struct opt *cmd_opts; /* own options, terminated by zeros */
	/*
	 * subcommands in place of cmd_run, terminated by NULL; their names
	 * contain this one's
	 */
	const struct cmd *const *cmd_subs;
	unsigned int cmd_flags; /* CMD_* */
	/*
	 * returns NULL, or why the options contradict each other; may be NULL
	 */
	const char *(*cmd_check)(const struct opts *);
	/* opens a file of -o that is not o_file, before -H; may be NULL */
	void (*cmd_output)(struct opts *);
	const char *cmd_examples; /* can be run as printed; may be NULL */
};

#define CMD_RECORDS  0x1   /* takes the options of recording, and -- */
#define CMD_PROBES   0x2   /* takes probes */
#define CMD_NEEDS    0x4   /* requires at least one probe */
#define CMD_FILE     0x8   /* takes one file */
#define CMD_PAIRS    0x10  /* takes the options of pairs */
#define CMD_COMMAND  0x20  /* takes -- without the options of recording */
#define CMD_RUNS     0x40  /* requires a command, from its first operand on */
#define CMD_OPTIONAL 0x80  /* the command or file may be missing */
#define CMD_HOSTS    0x100 /* can run on other machines (-H) */
#define CMD_OWNHOSTS 0x200 /* and its cmd_run starts it there */

/* dt trace -c runs it. */
struct syscalls_opts {
	struct opts syo_common; /* o_args: probes of calls */
	const char *syo_expr;	/* -e: sets o_args */
	int syo_isbypid;	/* -P */
	uint64_t syo_interval;	/* -i, ns */
};

extern const struct cmd cmd_syscalls;

#endif /* CLI_OPTS_CMD_H */
