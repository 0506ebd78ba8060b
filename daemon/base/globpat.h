/* SPDX-License-Identifier: ISC */
/*
 * Matches names against patterns as fnmatch(3) does without flags, at a bounded
 * cost: a pattern is compiled once, and a match takes at most strlen(text)
 * squared steps for any pattern.  fnmatch(3) itself can take time exponential
 * in the number of stars and open brackets, and patterns come from clients.
 */
#ifndef DAEMON_BASE_GLOBPAT_H
#define DAEMON_BASE_GLOBPAT_H

#include <stddef.h>
#include <stdint.h>

struct reason;

#define GLOBPAT_MAX  256	       /* bytes, with the NUL */
#define GLOBPAT_SETS (GLOBPAT_MAX / 3) /* the shortest set is [a] */

struct globpat {
	unsigned int gp_n;			  /* elements */
	unsigned int gp_nsets;			  /* used entries of gp_sets */
	uint16_t gp_elems[GLOBPAT_MAX];		  /* bytes, ELEM_* and sets */
	uint32_t gp_sets[GLOBPAT_SETS][256 / 32]; /* bitmap of bytes per
						   * [...] */
};

/*
 * Compiles a pattern.  Returns 0, EINVAL if it is malformed or ENAMETOOLONG,
 * with a reason.
 */
int globpat_compile(struct globpat *, const char *pattern, struct reason *);

int globpat_match(const struct globpat *, const char *text);

#endif /* DAEMON_BASE_GLOBPAT_H */
