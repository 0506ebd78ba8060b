/* SPDX-License-Identifier: ISC */
/* Checks unwind tables from a symbolizer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/sym/table_buf.h"
#include "wire/symbolizer.h"

static int
good_rows(const struct unwind_row *ur, uint32_t nrows, uint32_t nrules)
{
	uint32_t i;

	if (ur[0].ur_low != 0)
		return 0;
	for (i = 0; i < nrows; i++)
		if (ur[i].ur_rule >= nrules ||
		    (i > 0 && ur[i].ur_low <= ur[i - 1].ur_low))
			return 0;
	return 1;
}

static int
good_rules(const struct unwind_rule *un, uint32_t n)
{
	for (; n > 0; n--, un++)
		if (un->un_cfa > UNWIND_CFA_SIGNAL ||
		    un->un_ra > UNWIND_RA_UNSUPPORTED ||
		    un->un_fp > UNWIND_FP_UNKNOWN)
			return 0;
	return 1;
}

/* The first part of a table states its size. */
static int
table_begin(struct table_buf *tb, const struct symrep_table *st)
{
	uint32_t nbytes = TABLE_BUF_BYTES(st->st_nrows, st->st_nrules);
	char *p;

	if (nbytes > tb->tb_max) {
		if ((p = realloc(tb->tb_bytes, nbytes)) == NULL)
			return ENOMEM;
		tb->tb_bytes = p;
		tb->tb_max = nbytes;
	}
	tb->tb_nrows = st->st_nrows;
	tb->tb_nrules = st->st_nrules;
	return 0;
}

/* The last part has arrived. */
static int
table_end(struct table_buf *tb)
{
	const void *rows = tb->tb_bytes;

	if (tb->tb_nrows > 0 &&
	    (!good_rows(rows, tb->tb_nrows, tb->tb_nrules) ||
		!good_rules((const struct unwind_rule
				    *)((const struct unwind_row *)rows +
				tb->tb_nrows),
		    tb->tb_nrules)))
		return EIO;
	tb->tb_fn(tb->tb_arg, tb->tb_page++, rows, tb->tb_nrows, tb->tb_nrules);
	tb->tb_nbytes = 0;
	return 0;
}

int
table_buf_take(struct table_buf *tb, const void *msg, size_t n)
{
	const struct symrep_table *st = msg;
	uint32_t all;
	int error;

	if (n < sizeof(*st) || st->st_nbytes != n - sizeof(*st) ||
	    st->st_page != tb->tb_page || st->st_at != tb->tb_nbytes ||
	    st->st_nrows > UNWIND_MAXROWS || st->st_nrules > UNWIND_MAXRULES ||
	    (st->st_nrows == 0) != (st->st_nrules == 0))
		return EIO;
	if (st->st_at == 0 && (error = table_begin(tb, st)) != 0)
		return error;
	all = TABLE_BUF_BYTES(tb->tb_nrows, tb->tb_nrules);
	if (st->st_nrows != tb->tb_nrows || st->st_nrules != tb->tb_nrules ||
	    st->st_nbytes > all - tb->tb_nbytes ||
	    (st->st_nbytes == 0 && all > 0))
		return EIO;
	if (st->st_nbytes > 0)
		memcpy(tb->tb_bytes + tb->tb_nbytes, st + 1, st->st_nbytes);
	tb->tb_nbytes += st->st_nbytes;
	return tb->tb_nbytes == all ? table_end(tb) : 0;
}

void
table_buf_free(struct table_buf *tb)
{
	free(tb->tb_bytes);
	tb->tb_bytes = NULL;
	tb->tb_max = 0;
}
