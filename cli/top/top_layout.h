/* SPDX-License-Identifier: ISC */
/* Lays a screen of dt top out as lines, for a terminal or a pipe. */
#ifndef CLI_TOP_TOP_LAYOUT_H
#define CLI_TOP_TOP_LAYOUT_H

#include "cli/base/buf.h"
#include "cli/top/top.h"

/* How a line looks. */
enum top_look {
	TOP_PLAIN,
	TOP_HEAD,     /* the headings of the columns */
	TOP_SELECTED, /* the row of the cursor */
	TOP_LOSS,     /* events were lost */
};

/* Returns the number of lines above the rows, and which of them has the keys. */
unsigned int top_layout_nhead(const struct top_run *, unsigned int *keys);
/* Appends losses, costs and a number of rows; returns the look. */
enum top_look top_layout_cost(struct buf *, const struct top_cost *, size_t n);
/*
 * Appends a line of at most width columns, without a newline.  line: from 0 on.
 * Returns its look.
 */
enum top_look top_layout_head(struct buf *, struct top_run *, unsigned int line,
    unsigned int width);
void top_layout_row(struct buf *, struct top_run *, const struct top_row *,
    unsigned int width);
/* Returns how many bytes of a text fit into a number of columns. */
size_t top_layout_fit(const char *text, unsigned int width);

#endif /* CLI_TOP_TOP_LAYOUT_H */
