/* SPDX-License-Identifier: ISC */
/* Stores and prints the tables of firefox_table.h. */
#include <string.h>

#include "cli/out/firefox_table.h"
#include "cli/out/out_json.h"

int32_t
fox_table_row(struct fox_table *ft, const void *row, size_t size)
{
	struct hash_entry *e = hash_get(&ft->fxt_ids, row, size);

	if (e->he_sum == 0) {
		if (ft->fxt_rows.b_data == NULL)
			buf_init(&ft->fxt_rows, -1);
		buf_mem(&ft->fxt_rows, row, size);
		e->he_sum = ft->fxt_ids.ha_n;
	}
	return e->he_sum - 1;
}

void
fox_table_free(struct fox_table *ft)
{
	hash_clear(&ft->fxt_ids);
	buf_free(&ft->fxt_rows);
}

void
fox_msecs(struct buf *b, uint64_t nsecs)
{
	buf_u64(b, nsecs / 1000000);
	if (nsecs % 1000000 == 0)
		return;
	buf_c(b, '.');
	buf_dec(b, nsecs % 1000000, 6);
}

static void
fox_value(struct buf *b, const struct fox_column *fc, const char *row)
{
	uint64_t v = 0;
	int32_t n = 0;

	switch (fc->fxc_kind) {
	case FOX_SAME:
		buf_str(b, fc->fxc_same);
		return;
	case FOX_COUNT:
	case FOX_MSECS:
		memcpy(&v, row + fc->fxc_offset, sizeof(v));
		if (fc->fxc_kind == FOX_MSECS)
			fox_msecs(b, v);
		else
			buf_u64(b, v);
		return;
	case FOX_INT:
	case FOX_ORNULL:
		memcpy(&n, row + fc->fxc_offset, sizeof(n));
		if (n == -1 && fc->fxc_kind == FOX_ORNULL)
			buf_str(b, "null");
		else
			buf_s64(b, n);
	}
}

void
fox_columns(struct buf *b, const struct buf *rows, size_t size,
    const struct fox_column *columns, size_t n)
{
	size_t i, j, nrows = rows->b_len / size;

	for (i = 0; i < n; i++) {
		json_key(b, columns[i].fxc_key);
		buf_c(b, '[');
		for (j = 0; j < nrows; j++) {
			if (j > 0)
				buf_c(b, ',');
			fox_value(b, &columns[i], rows->b_data + j * size);
		}
		buf_line(b);
		buf_c(b, ']');
	}
	json_u64(b, "length", nrows);
}
