/* SPDX-License-Identifier: ISC */
/* Prints the rows of a machine of -H. */
#include <math.h>

#include "cli/out/out_wire.h"
#include "cli/top/top_wire.h"

static void
wire_number(struct buf *b, double v)
{
	if (isfinite(v))
		buf_printf(b, "\t%.17g", v);
	else
		buf_str(b, "\t-");
}

static void
wire_cost(struct buf *b, const struct top_run *tp)
{
	const struct top_cost *tc = &tp->top_cost;

	buf_printf(b, "%c\t%llu", WIRE_COST, (unsigned long long)tc->tct_lost);
	wire_number(b, tc->tct_selfshare);
	wire_number(b, tc->tct_dtdshare);
	wire_number(b, tc->tct_programs);
	buf_printf(b, "\t%zu", tp->top_n);
	out_wire_text(b, tp->top_session.tos_note);
	buf_c(b, '\n');
}

static void
wire_row(struct buf *b, const struct top_row *r)
{
	unsigned int i;

	buf_printf(b, "%c\t%u\t%u\t%llu", WIRE_ROW, r->tow_pid, r->tow_tid,
	    (unsigned long long)r->tow_id);
	for (i = 0; i < TOP_NNUMS; i++)
		wire_number(b, r->tow_nums[i]);
	for (i = 0; i < 2; i++)
		out_wire_text(b, r->tow_tags[i]);
	out_wire_text(b, r->tow_name);
	buf_c(b, '\n');
}

void
top_wire_print(struct buf *b, struct top_run *tp)
{
	size_t i, n = tp->top_n < WIRE_MAXROWS ? tp->top_n : WIRE_MAXROWS;

	top_details(tp, 0, n);
	wire_cost(b, tp);
	for (i = 0; i < n; i++)
		wire_row(b, &tp->top_rows[i]);
	buf_printf(b, "%c\n", WIRE_END);
}
