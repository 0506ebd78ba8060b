/* SPDX-License-Identifier: ISC */
/* Runs a script: with a session, or without one if no probe needs it. */
#ifndef CLI_SCRIPT_SCRIPT_SESSION_H
#define CLI_SCRIPT_SCRIPT_SESSION_H

#include "cli/opts/opts.h"
#include "cli/script/script_run.h"

struct script_opts {
	struct opts sco_common;
	const char *sco_program; /* -e */
	const char *sco_command; /* -c */
	const char *sco_output;	 /* -o */
	int sco_islist;		 /* -l */
	int sco_isexplain;	 /* --explain */
	int sco_isdry;		 /* --dry-run */
	int sco_isunsafe;	 /* --unsafe */
	int sco_nolower;	 /* --no-lower */
	uint64_t sco_keys, sco_string, sco_loops;
};

/*
 * Runs the program of a text; name: for messages.  Returns the exit status.
 */
int script_session(const struct script_opts *, const char *name,
    const char *text, char **params, unsigned int nparams);

#endif /* CLI_SCRIPT_SCRIPT_SESSION_H */
