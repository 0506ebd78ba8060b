/* SPDX-License-Identifier: ISC */
/*
 * Patterns of names, as of fnmatch(3) without flags, at a bounded cost: a
 * pattern is compiled once, and a match takes at most strlen(text) squared
 * steps, whatever the pattern is.  fnmatch(3) itself takes time that is
 * exponential in the pattern's stars and open brackets, and patterns come from
 * clients.
 */
#ifndef DAEMON_BASE_GLOBPAT_H
#define DAEMON_BASE_GLOBPAT_H

#include <stddef.h>
#include <stdint.h>

#define GLOBPAT_MAX  256	       /* bytes, with the NUL */
#define GLOBPAT_SETS (GLOBPAT_MAX / 3) /* the shortest set is [a] */
#define GLOBPAT_TEXT 80		       /* of a refusal */

struct globpat {
	unsigned int gp_n;			  /* elements */
	unsigned int gp_nsets;			  /* of gp_sets that are used */
	uint16_t gp_elems[GLOBPAT_MAX];		  /* see globpat.c */
	uint32_t gp_sets[GLOBPAT_SETS][256 / 32]; /* bytes of a [...] */
};

/* Returns 0, EINVAL if the pattern is malformed or ENAMETOOLONG; text
 * (GLOBPAT_TEXT bytes) is the reason. */
int globpat_compile(struct globpat *, const char *pattern, char *text);

int globpat_match(const struct globpat *, const char *text);

#endif /* DAEMON_BASE_GLOBPAT_H */
