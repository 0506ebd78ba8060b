/* SPDX-License-Identifier: ISC */
/*
 * Reports losses during a recording, on stderr: the first one at once, then the
 * sum every few seconds while it grows.
 */
#ifndef CLI_SESSION_LOSSES_H
#define CLI_SESSION_LOSSES_H

#include <stdint.h>

#include <libdt.h>

#include "cli/base/buf.h"

struct losses {
	uint64_t lo_queried; /* last query of the daemon, CLOCK_MONOTONIC, ns */
	uint64_t lo_printed; /* last line, 0: none */
	uint64_t lo_lost;    /* events lost at that time */
};

/* Time of the next query. */
uint64_t losses_due(const struct losses *);
/* Queries the daemon and prints a line if one is due. */
void losses_check(struct losses *, struct dt *, uint64_t now);
/* Appends a line if there are new losses. */
void losses_text(struct losses *, struct buf *, const struct dtioc_stat *,
    uint64_t now);

#endif /* CLI_SESSION_LOSSES_H */
