/* SPDX-License-Identifier: ISC */
/* Builds the unwind table (wire/unwind.h) of a page of a file's code. */
#ifndef SYMBOLIZER_UNWIND_ROWS_H
#define SYMBOLIZER_UNWIND_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/elffile.h"
#include "symbolizer/ranges.h"
#include "symbolizer/unwind_cfi.h"
#include "symbolizer/unwind_crt.h"
#include "wire/unwind.h"

/* A section of frame information, and its functions by address. */
struct unwind_section {
	struct cfi us_cfi;
	struct ranges us_funcs;
	int us_isgo; /* functions have frame pointers, except some leaves */
	void *us_inflated; /* allocated, if the file has it compressed */
};

/* The sections of a file: .eh_frame, and .debug_frame for other code. */
struct unwind_index {
	const struct elffile *ui_file;
	struct unwind_section ui_sections[2];
	size_t ui_nsections;
	/* functions that no section has */
	struct crt_func ui_crt[CRT_FUNCS];
	size_t ui_ncrt;
};

/* A page's table, allocated. */
struct unwind_page_rows {
	struct unwind_row *upr_rows;
	size_t upr_nrows; /* 0: the page has no table */
	struct unwind_rule *upr_rules;
	size_t upr_nrules;
};

/*
 * Finds the functions of a file, which stays the caller's.  Returns 0, ENOENT
 * if it has no frame information, ENOMEM, or E2BIG.
 */
int unwind_index_open(struct unwind_index *, const struct elffile *);
void unwind_index_close(struct unwind_index *);
/*
 * Builds the table of a page, which is an offset in the file divided by
 * UNWIND_PAGE.  In arm64's vdso, without frame information, it has functions
 * without frames and the return from signal handlers.  Returns 0, ENOMEM, or E2BIG
 * if it has too many rows or rules.
 */
int unwind_page_build(const struct unwind_index *, uint64_t page,
    struct unwind_page_rows *);
void unwind_page_free(struct unwind_page_rows *);

#endif /* SYMBOLIZER_UNWIND_ROWS_H */
