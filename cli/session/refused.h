/* SPDX-License-Identifier: ISC */
/*
 * Collects the probes of a pattern that cannot be enabled, while others can, and
 * prints them by reason.
 */
#ifndef CLI_SESSION_REFUSED_H
#define CLI_SESSION_REFUSED_H

#include <stddef.h>

#include <libdt.h>

#include "cli/base/buf.h"

#define REFUSED_REASONS 8  /* groups; the last one takes all further reasons */
#define REFUSED_NAMES	10 /* printed of each group */

/* Probes with the same reason; entry and return of a function count once. */
struct refused_group {
	char rfg_why[256];
	int rfg_isfunc;
	size_t rfg_n;
	struct buf rfg_names;
	char rfg_last[DTNAMESIZE]; /* function that was added last */
};

/* All zeros: none. */
struct refused {
	struct refused_group rfs_groups[REFUSED_REASONS];
	size_t rfs_n;
};

/* Adds a probe; why may begin with the name of its function. */
void
refused_add(struct refused *, const struct dtioc_probe_info *, const char *why);
/*
 * Prints a line for each reason to standard error, and frees the memory.
 * pattern: of all these probes, or NULL.
 */
void refused_print(struct refused *, const char *pattern);

#endif /* CLI_SESSION_REFUSED_H */
