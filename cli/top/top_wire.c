/* SPDX-License-Identifier: ISC */
/* Prints the rows of a machine of -H, and reads them on the other side. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hosts/wire.h"
#include "cli/out/out_wire.h"
#include "cli/top/top_wire.h"

#define WIRE_MAXROWS 1000 /* of a reading; the first ones in its order */

#define WIRE_COST    'A' /* lost, shares of dt, dtd and probes, rows, note */
#define WIRE_NCOST   6
/* process, thread, id, numbers, tags, name */
#define WIRE_NROW   (3 + TOP_NNUMS + 2 + 1)
#define WIRE_MAXNUM 1e18 /* keeps conversions to integers valid */

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

/* The other side */

static int
reading_number(const char *s, double *v)
{
	char *end;

	*v = NAN;
	if (strcmp(s, "-") == 0)
		return 0;
	*v = strtod(s, &end);
	return end == s || *end != '\0' || !(fabs(*v) < WIRE_MAXNUM) ? -1 : 0;
}

static int
reading_cost(struct top_reading *rd, char **f, int n)
{
	struct top_cost *tc = &rd->trd_cost;
	uint64_t nall;

	if (n != WIRE_NCOST || rd->trd_n > 0 || rd->trd_note != NULL ||
	    wire_u64(f[0], UINT64_MAX, &tc->tct_lost) == -1 ||
	    reading_number(f[1], &tc->tct_selfshare) == -1 ||
	    reading_number(f[2], &tc->tct_dtdshare) == -1 ||
	    reading_number(f[3], &tc->tct_programs) == -1 ||
	    wire_u64(f[4], UINT32_MAX, &nall) == -1)
		return -1;
	rd->trd_nall = nall;
	if (*f[5] != '\0' && (rd->trd_note = strdup(f[5])) == NULL)
		err(1, "rows");
	return 0;
}

static struct top_row *
reading_add(struct top_reading *rd)
{
	if (rd->trd_n == rd->trd_max) {
		rd->trd_max = 2 * rd->trd_max + 64;
		rd->trd_rows = reallocarray(rd->trd_rows, rd->trd_max,
		    sizeof(*rd->trd_rows));
		if (rd->trd_rows == NULL)
			err(1, "rows");
	}
	return &rd->trd_rows[rd->trd_n];
}

static int
reading_row(struct top_reading *rd, char **f, int n)
{
	struct top_row *r;
	uint64_t pid, tid;
	unsigned int i;

	if (n != WIRE_NROW || rd->trd_n == WIRE_MAXROWS)
		return -1;
	r = reading_add(rd);
	*r = (struct top_row){ .tow_iscomplete = 1 };
	if (wire_u64(f[0], UINT32_MAX, &pid) == -1 ||
	    wire_u64(f[1], UINT32_MAX, &tid) == -1 ||
	    wire_u64(f[2], UINT64_MAX, &r->tow_id) == -1)
		return -1;
	r->tow_pid = pid;
	r->tow_tid = tid;
	for (i = 0; i < TOP_NNUMS; i++)
		if (reading_number(f[3 + i], &r->tow_nums[i]) == -1)
			return -1;
	for (i = 0; i < 2; i++)
		snprintf(r->tow_tags[i], TOP_TAG, "%.15s",
		    f[3 + TOP_NNUMS + i]);
	if ((r->tow_name = strdup(f[n - 1])) == NULL)
		err(1, "rows");
	rd->trd_n++;
	return 0;
}

int
top_reading_line(struct top_reading *rd, char *line, size_t len)
{
	char *f[WIRE_NROW];
	int n = wire_split(line, len, f, WIRE_NROW);

	if (n == -1)
		return -1;
	switch (*line) {
	case WIRE_COST:
		return reading_cost(rd, f, n);
	case WIRE_ROW:
		return reading_row(rd, f, n);
	case WIRE_END:
		return n == 0 ? 1 : -1;
	default:
		return -1;
	}
}

void
top_reading_free(struct top_reading *rd)
{
	while (rd->trd_n > 0)
		free(rd->trd_rows[--rd->trd_n].tow_name);
	free(rd->trd_rows);
	free(rd->trd_note);
	*rd = (struct top_reading){ 0 };
}
