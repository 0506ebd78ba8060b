/* SPDX-License-Identifier: ISC */
/* Finds the texts that an event has for an argument. */
#ifndef CLI_BASE_EVENT_TEXT_H
#define CLI_BASE_EVENT_TEXT_H

#include <libdt.h>

/*
 * Returns the text to which an argument points, as read at the entry, or at the
 * return where the entry could not; NULL: neither has it.  Either event may be
 * NULL.
 */
const struct dt_rec_string *event_text(const struct dt_event *entry,
    const struct dt_event *ret, unsigned int argn);
/*
 * Returns the path of the descriptor in an argument, or its error; NULL: the
 * event, which may be NULL, has none.
 */
const struct dt_rec_string *
event_file(const struct dt_event *, unsigned int argn);

#endif /* CLI_BASE_EVENT_TEXT_H */
