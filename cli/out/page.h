/* SPDX-License-Identifier: ISC */
/*
 * The frame of an HTML page about stacks, whose graph page/script.js draws from
 * the data.  It loads nothing: the page instructs the browser to refuse whatever
 * a name might try to load.
 */
#ifndef CLI_OUT_PAGE_H
#define CLI_OUT_PAGE_H

#include "cli/base/buf.h"

/* Title and summary are untrusted text. */
void
page_begin(struct buf *, const struct buf *title, const struct buf *summary);
/*
 * Prints data as an element with an id, JSON of which each < is escaped, so that
 * no name ends the element.
 */
void page_data(struct buf *, const char *id, const struct buf *json);
/* The table follows, which the page's script fills, and then page_end(). */
void page_end(struct buf *);

#endif /* CLI_OUT_PAGE_H */
