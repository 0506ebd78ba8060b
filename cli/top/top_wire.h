/* SPDX-License-Identifier: ISC */
/*
 * How dt top of another machine sends what it reads (-H).  A line is a letter
 * and fields, as in cli/out/out_wire.h.  Both sides have the same version.
 */
#ifndef CLI_TOP_TOP_WIRE_H
#define CLI_TOP_TOP_WIRE_H

#include "cli/base/buf.h"
#include "cli/top/top.h"

/* The rows of a machine for one interval. */
struct top_reading {
	struct top_cost trd_cost;
	char *trd_note; /* why its dtd has stopped the view; NULL: it has not */
	struct top_row *trd_rows;
	size_t trd_n, trd_max;
	size_t trd_nall; /* rows there, of which some were not sent */
};

/* Appends the rows as they are now. */
void top_wire_print(struct buf *, struct top_run *);
/*
 * Adds a line, which is untrusted and may be changed.  Returns 1 if it is the
 * last one of a reading, else 0, or -1: it is malformed.
 */
int top_reading_line(struct top_reading *, char *line, size_t len);
/* Empties a reading. */
void top_reading_free(struct top_reading *);

#endif /* CLI_TOP_TOP_WIRE_H */
