/* SPDX-License-Identifier: ISC */
/*
 * --key: what the two hits of a pair have in common.
 */
#ifndef CLI_OPTS_PAIR_KEY_H
#define CLI_OPTS_PAIR_KEY_H

#include <dev/dt/dtvar.h>

/* What it is called at each of the two probes. */
struct pair_key_name {
	char kn_from[DTNAMESIZE + 8]; /* args.NAME */
	char kn_to[DTNAMESIZE + 8];
};

/* NAME[=NAME][,NAME[=NAME]]: returns how many, or 0: it makes no sense. */
unsigned int pair_key_parse(const char *, struct pair_key_name kn[DTPA_NKEYS]);

/* Whether keys, which make sense, have this name for both probes. */
int pair_key_same(const char *keys, const char *name);

#endif /* CLI_OPTS_PAIR_KEY_H */
