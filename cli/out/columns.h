/* SPDX-License-Identifier: ISC */
/*
 * The columns in front of an event, in text.
 */
#ifndef CLI_OUT_COLUMNS_H
#define CLI_OUT_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#define COLUMNS_MAX 16

struct dt_event;
struct opts;
struct out;

struct columns { /* all zeros: the usual ones */
	unsigned int cs_n;
	unsigned char cs_index[COLUMNS_MAX]; /* rows of the table */
};

/*
 * list: names with commas between them, behind a + those to add to the usual
 * ones; NULL: the usual ones.  Returns NULL, or what is wrong with the list.
 */
const char *columns_parse(struct columns *, const char *list);
/* --columns, for the table of options: checks the list and keeps its text. */
const char *columns_option(struct opts *, const char *list);
/* DTEVT_* that events need for them. */
uint64_t columns_evtflags(const struct columns *);
/* A line that names them. */
void columns_head(struct out *);
/* What stands before the call, the blank between them included. */
void columns_text(struct out *, const struct dt_event *);

#endif /* CLI_OUT_COLUMNS_H */
