/* SPDX-License-Identifier: ISC */
/* Builds the unwind table (wire/unwind.h) of a part of a file's code. */
#ifndef SYMBOLIZER_UNWIND_ROWS_H
#define SYMBOLIZER_UNWIND_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/elffile.h"
#include "wire/unwind.h"

#define UNWIND_RULES 65535 /* rules of a file; files have some 600 */

struct unwind_table {
	struct unwind_rule *ut_rules;
	size_t ut_nrules;
	uint32_t *ut_lines; /* hash of the rules: index + 1, or 0 */
	size_t ut_nlines;
	/* rows of the pages from ut_page on, one after another */
	uint64_t ut_page;
	uint32_t *ut_first; /* of each page, and the end of the last one's */
	size_t ut_npages;
	struct unwind_row *ut_rows;
};

/*
 * Builds the rows of npages pages from a page on; a page is an address divided
 * by UNWIND_PAGE.  Rules that the table has keep their numbers.  Returns 0,
 * ENOENT if the file has no frame information, ENOMEM, or E2BIG.  A malformed
 * part has no rows.
 */
int unwind_build(struct unwind_table *, const struct elffile *, uint64_t page,
    size_t npages);
void unwind_free(struct unwind_table *);

#endif /* SYMBOLIZER_UNWIND_ROWS_H */
