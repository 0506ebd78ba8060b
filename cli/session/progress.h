/* SPDX-License-Identifier: ISC */
/*
 * A line on the terminal that shows how a recording proceeds: time, events,
 * losses, cost.  It is there only while nothing else is printed: no command
 * runs, and results are printed at the end, or elsewhere.
 */
#ifndef CLI_SESSION_PROGRESS_H
#define CLI_SESSION_PROGRESS_H

#include <stdint.h>

#include "cli/session/session.h"

/* Decides whether the line is shown. */
void progress_begin(struct session *);
/* Time of the next update, CLOCK_MONOTONIC, ns; UINT64_MAX: none. */
uint64_t progress_due(const struct session *);
/* Updates the line if it is due. */
void progress_show(struct session *, uint64_t now);
/* Removes the line, until the next update. */
void progress_hide(struct session *);

#endif /* CLI_SESSION_PROGRESS_H */
