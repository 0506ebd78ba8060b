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
		if (un->un_cfa > UNWIND_CFA_LEAF ||
		    un->un_ra > UNWIND_RA_UNSUPPORTED ||
		    un->un_fp > UNWIND_FP_UNKNOWN)
			return 0;
	return 1;
}

/* The first part of a table states its size. */
static int
table_begin(struct table_buf *tb, const struct symrep_table *st)
{
	uint32_t nbytes = TABLE_BUF_BYTES(st->srt_nrows, st->srt_nrules);
	char *p;

	if (nbytes > tb->tbf_max) {
		if ((p = realloc(tb->tbf_bytes, nbytes)) == NULL)
			return ENOMEM;
		tb->tbf_bytes = p;
		tb->tbf_max = nbytes;
	}
	tb->tbf_nrows = st->srt_nrows;
	tb->tbf_nrules = st->srt_nrules;
	return 0;
}

/* The last part has arrived. */
static int
table_end(struct table_buf *tb)
{
	const void *rows = tb->tbf_bytes;

	if (tb->tbf_nrows > 0 &&
	    (!good_rows(rows, tb->tbf_nrows, tb->tbf_nrules) ||
		!good_rules((const struct unwind_rule
				    *)((const struct unwind_row *)rows +
				tb->tbf_nrows),
		    tb->tbf_nrules)))
		return EIO;
	tb->tbf_fn(tb->tbf_arg, tb->tbf_page++, rows, tb->tbf_nrows,
	    tb->tbf_nrules);
	tb->tbf_nbytes = 0;
	return 0;
}

int
table_buf_take(struct table_buf *tb, const void *msg, size_t n)
{
	const struct symrep_table *st = msg;
	uint32_t all;
	int error;

	if (n < sizeof(*st) || st->srt_nbytes != n - sizeof(*st) ||
	    st->srt_page != tb->tbf_page || st->srt_at != tb->tbf_nbytes ||
	    st->srt_nrows > UNWIND_MAXROWS ||
	    st->srt_nrules > UNWIND_MAXRULES ||
	    (st->srt_nrows == 0) != (st->srt_nrules == 0))
		return EIO;
	if (st->srt_at == 0 && (error = table_begin(tb, st)) != 0)
		return error;
	all = TABLE_BUF_BYTES(tb->tbf_nrows, tb->tbf_nrules);
	if (st->srt_nrows != tb->tbf_nrows ||
	    st->srt_nrules != tb->tbf_nrules ||
	    st->srt_nbytes > all - tb->tbf_nbytes ||
	    (st->srt_nbytes == 0 && all > 0))
		return EIO;
	if (st->srt_nbytes > 0)
		memcpy(tb->tbf_bytes + tb->tbf_nbytes, st + 1, st->srt_nbytes);
	tb->tbf_nbytes += st->srt_nbytes;
	return tb->tbf_nbytes == all ? table_end(tb) : 0;
}

void
table_buf_free(struct table_buf *tb)
{
	free(tb->tbf_bytes);
	tb->tbf_bytes = NULL;
	tb->tbf_max = 0;
}
