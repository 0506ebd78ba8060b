/* SPDX-License-Identifier: ISC */
/* Columns printed before an event, in text. */
#ifndef CLI_OUT_COLUMNS_H
#define CLI_OUT_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#define COLUMNS_MAX 16

struct dt_event;
struct opts;
struct out;

struct columns { /* all zeros: the default columns */
	unsigned int cs_n;
	unsigned char cs_index[COLUMNS_MAX]; /* rows of the table */
};

/*
 * list: names separated by commas; after a +, names to add to the default
 * columns; NULL: the default.  Returns NULL, or the error in the list.
 */
const char *columns_parse(struct columns *, const char *list);
/* --columns, for the table of options: checks the list and keeps its text. */
const char *columns_option(struct opts *, const char *list);
/* DTEVT_* that the columns need. */
uint64_t columns_evtflags(const struct columns *);
/*
 * Prints the columns of an event, with the blank before the call; NULL: the
 * line of their names.
 */
void columns_text(struct out *, const struct dt_event *);

#endif /* CLI_OUT_COLUMNS_H */
