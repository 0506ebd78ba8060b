/* SPDX-License-Identifier: ISC */
/*
 * Tables of the Firefox profiler's format: an array for each column.  Rows are
 * structs of numbers without padding, and refer to rows of other tables by
 * index; -1: none.
 */
#ifndef CLI_OUT_FIREFOX_TABLE_H
#define CLI_OUT_FIREFOX_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/base/buf.h"
#include "cli/base/hash.h"

/* Rows without duplicates.  All zeros is an empty table. */
struct fox_table {
	struct hash fxt_ids;
	struct buf fxt_rows;
};

/* Returns the index of a row, which it adds if missing. */
int32_t fox_table_row(struct fox_table *, const void *row, size_t size);
void fox_table_free(struct fox_table *);

enum fox_kind {
	FOX_INT = 0, /* int32_t */
	FOX_ORNULL,  /* the same; -1 prints null */
	FOX_COUNT,   /* uint64_t */
	FOX_MSECS,   /* uint64_t, ns, prints ms */
	FOX_SAME,    /* fxc_same in each row */
};

struct fox_column {
	const char *fxc_key;
	enum fox_kind fxc_kind;
	size_t fxc_offset; /* in the row */
	const char *fxc_same;
};

/* Prints the members of n columns, and the number of rows. */
void fox_columns(struct buf *, const struct buf *rows, size_t size,
    const struct fox_column *, size_t n);
/* Prints a time in ns as ms. */
void fox_msecs(struct buf *, uint64_t nsecs);

#endif /* CLI_OUT_FIREFOX_TABLE_H */
