/* SPDX-License-Identifier: ISC */
/* The line of an event in text, and the columns that it begins with. */
#ifndef CLI_OUT_OUT_TEXT_EVENT_H
#define CLI_OUT_OUT_TEXT_EVENT_H

#include <stddef.h>
#include <stdint.h>

#define COLUMNS_MAX 16

struct call;
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
/* Prints a call; the function of the format, whose argument is the struct out. */
int text_event(void *, const struct call *);

#endif /* CLI_OUT_OUT_TEXT_EVENT_H */
