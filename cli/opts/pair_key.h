/* SPDX-License-Identifier: ISC */
/* --key: values that the two hits of a pair have in common. */
#ifndef CLI_OPTS_PAIR_KEY_H
#define CLI_OPTS_PAIR_KEY_H

#include <dev/dt/dtvar.h>

/* Names of the value at the two probes. */
struct pair_key_name {
	char kn_from[DTNAMESIZE + 8]; /* args.NAME */
	char kn_to[DTNAMESIZE + 8];
};

/*
 * Parses NAME[=NAME][,NAME[=NAME]].  Returns the number of keys, or 0 on an
 * error.
 */
unsigned int pair_key_parse(const char *, struct pair_key_name kn[DTPA_NKEYS]);

/* Returns whether valid keys contain this name for both probes. */
int pair_key_same(const char *keys, const char *name);

#endif /* CLI_OPTS_PAIR_KEY_H */
