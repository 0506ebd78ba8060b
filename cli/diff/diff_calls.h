/* SPDX-License-Identifier: ISC */
/* Compares the calls of two recordings: numbers, errors and times. */
#ifndef CLI_DIFF_DIFF_CALLS_H
#define CLI_DIFF_DIFF_CALLS_H

#include "cli/base/buf.h"
#include "cli/diff/diff.h"
#include "cli/stat/call_rows.h"

struct diff_calls;

struct diff_calls *diff_calls_alloc(void);
/* Adds calls of one name and errno. */
void
diff_calls_add(struct diff_calls *, enum diff_side, const struct call_row *);
void
diff_calls_sums(struct diff_calls *, enum diff_side, const struct call_sums *);
void diff_calls_free(struct diff_calls *);

/*
 * Prints rows by falling change of the total time: for people those that have
 * changed, at most top; for programs all, as JSON lines.
 */
void diff_calls_text(struct diff_calls *, struct buf *, size_t top);
void diff_calls_json(struct diff_calls *, struct buf *);

#endif /* CLI_DIFF_DIFF_CALLS_H */
