/* SPDX-License-Identifier: ISC */
/*
 * How dt top of another machine sends what it reads (-H).  A line is a letter
 * and fields, as in cli/out/out_wire.h.  Both sides have the same version.
 */
#ifndef CLI_TOP_TOP_WIRE_H
#define CLI_TOP_TOP_WIRE_H

#include "cli/base/buf.h"
#include "cli/top/top.h"

#define WIRE_MAXROWS 1000 /* of a reading; the first ones in its order */

#define WIRE_COST    'A' /* lost, shares of dt, dtd and probes, rows, note */
#define WIRE_NCOST   6
/* process, thread, id, numbers, tags, name */
#define WIRE_NROW (3 + TOP_NNUMS + 2 + 1)

/* Appends the rows as they are now. */
void top_wire_print(struct buf *, struct top_run *);
#endif /* CLI_TOP_TOP_WIRE_H */
