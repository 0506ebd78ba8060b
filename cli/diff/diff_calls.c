/* SPDX-License-Identifier: ISC */
/*
 * Compares calls.  Their numbers are counted, so these are exact.  Times are
 * samples of what a call takes: each change has a standard error, from the
 * spread of the times and the width of the buckets in which they are counted.
 */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/base/val.h"
#include "cli/diff/diff_calls.h"

/*
 * Standard errors of a change that is listed: a row has three times, and there
 * are many rows, of which 1 in 20 would exceed 2.
 */
#define CALLS_CERTAIN 3

/* A call in one of the recordings. */
struct diff_call_side {
	uint64_t dcs_count, dcs_failed;
	struct hist dcs_times;
};

struct diff_call {
	struct diff_call_side dfl_sides[DIFF_NSIDES];
};

struct diff_calls {
	struct hash dfs_rows; /* struct diff_call, by name */
	struct call_sums dfs_sums[DIFF_NSIDES];
};

/* A number with its standard error; NAN: unknown. */
struct diff_number {
	double dnu_value, dnu_error;
};

struct diff_calls *
diff_calls_alloc(void)
{
	struct diff_calls *dfs = calloc(1, sizeof(*dfs));

	if (dfs == NULL)
		err(1, "calls");
	return dfs;
}

void
diff_calls_sums(struct diff_calls *dfs, enum diff_side side,
    const struct call_sums *cls)
{
	dfs->dfs_sums[side] = *cls;
}

void
diff_calls_add(struct diff_calls *dfs, enum diff_side side,
    const struct call_row *row)
{
	struct hash_entry *e = hash_get(&dfs->dfs_rows, row->clw_name,
	    strlen(row->clw_name));
	struct diff_call_side *dcs;

	if (e->he_ptr == NULL &&
	    (e->he_ptr = calloc(1, sizeof(struct diff_call))) == NULL)
		err(1, "calls");
	dcs = &((struct diff_call *)e->he_ptr)->dfl_sides[side];
	dcs->dcs_count += row->clw_count;
	dcs->dcs_failed += row->clw_failed;
	if (row->clw_times != NULL)
		hist_join(&dcs->dcs_times, row->clw_times);
}

static void
diff_call_free(void *arg)
{
	struct diff_call *dfl = arg;
	int i;

	for (i = 0; i < DIFF_NSIDES; i++)
		hist_clear(&dfl->dfl_sides[i].dcs_times);
	free(dfl);
}

void
diff_calls_free(struct diff_calls *dfs)
{
	dt_hash_free(&dfs->dfs_rows, diff_call_free);
	free(dfs);
}

/*
 * Numbers of a call
 */

static struct diff_number
calls_count(const struct diff_call_side *dcs)
{
	return (struct diff_number){ dcs->dcs_count, 0 };
}

static struct diff_number
calls_failed(const struct diff_call_side *dcs)
{
	return (struct diff_number){ dcs->dcs_failed, 0 };
}

static struct diff_number
calls_mean(const struct diff_call_side *dcs)
{
	const struct hist *hi = &dcs->dcs_times;

	if (hi->hi_count == 0)
		return (struct diff_number){ NAN, NAN };
	return (struct diff_number){ (double)hi->hi_sum / hi->hi_count,
		sqrt(hist_variance(hi) / hi->hi_count) };
}

static struct diff_number
calls_percentile(const struct diff_call_side *dcs, unsigned int n)
{
	const struct hist *hi = &dcs->dcs_times;

	if (hi->hi_count == 0)
		return (struct diff_number){ NAN, NAN };
	return (struct diff_number){ hist_percentile(hi, n),
		hist_percentile_error(hi, n) };
}

static struct diff_number
calls_p50(const struct diff_call_side *dcs)
{
	return calls_percentile(dcs, 50);
}

static struct diff_number
calls_p99(const struct diff_call_side *dcs)
{
	return calls_percentile(dcs, 99);
}

/* Without calls, the time is 0. */
static struct diff_number
calls_total(const struct diff_call_side *dcs)
{
	const struct hist *hi = &dcs->dcs_times;

	if (hi->hi_count == 0)
		return (struct diff_number){ 0, 0 };
	return (struct diff_number){ hi->hi_sum,
		sqrt(hist_variance(hi) * hi->hi_count) };
}

static const struct {
	const char *name, *head;
	struct diff_number (*get)(const struct diff_call_side *);
	int istime;
	int width;
} calls_numbers[] = {
	{ "calls", "CALLS", calls_count, 0, 8 },
	{ "errors", "ERRORS", calls_failed, 0, 8 },
	{ "mean", "MEAN", calls_mean, 1, 10 },
	{ "p50", "P50", calls_p50, 1, 10 },
	{ "p99", "P99", calls_p99, 1, 10 },
	{ "total", "TOTAL", calls_total, 1, 10 },
};

#define CALLS_NNUMBERS (sizeof(calls_numbers) / sizeof(calls_numbers[0]))
#define CALLS_TOTAL    (CALLS_NNUMBERS - 1)

/* Returns the numbers of both sides, and their change. */
static struct diff_number
calls_get(const struct hash_entry *e, size_t i,
    struct diff_number sides[DIFF_NSIDES])
{
	const struct diff_call *dfl = e->he_ptr;
	int k;

	for (k = 0; k < DIFF_NSIDES; k++)
		sides[k] = calls_numbers[i].get(&dfl->dfl_sides[k]);
	return (struct diff_number){
		sides[DIFF_AFTER].dnu_value - sides[DIFF_BEFORE].dnu_value,
		hypot(sides[DIFF_BEFORE].dnu_error,
		    sides[DIFF_AFTER].dnu_error),
	};
}

static struct diff_number
calls_change(const struct hash_entry *e, size_t i)
{
	struct diff_number sides[DIFF_NSIDES];

	return calls_get(e, i, sides);
}

/* The total is left out: it changes if the calls or their mean do. */
static int
calls_ischanged(const struct hash_entry *e)
{
	struct diff_number change;
	size_t i;

	for (i = 0; i < CALLS_TOTAL; i++) {
		change = calls_change(e, i);
		if (fabs(change.dnu_value) > CALLS_CERTAIN * change.dnu_error)
			return 1; /* a comparison with NAN is false */
	}
	return 0;
}

static int
calls_compare(const void *va, const void *vb, void *arg)
{
	const struct hash_entry *a = *(struct hash_entry *const *)va;
	const struct hash_entry *b = *(struct hash_entry *const *)vb;
	double x = fabs(calls_change(a, CALLS_TOTAL).dnu_value);
	double y = fabs(calls_change(b, CALLS_TOTAL).dnu_value);
	int c;

	(void)arg;
	if (x != y)
		return x > y ? -1 : 1;
	c = memcmp(a->he_key, b->he_key,
	    a->he_keylen < b->he_keylen ? a->he_keylen : b->he_keylen);
	return c != 0 ? c : a->he_keylen < b->he_keylen ? -1 : 1;
}

/*
 * Text: four lines for a call, since both sides, the change and its error of
 * six numbers fill no line that a terminal has.
 */

static void
text_number(struct buf *b, size_t i, double v, int ischange)
{
	char text[VAL_NSECS], number[VAL_NSECS + 1] = "-";

	if (!isnan(v)) {
		if (calls_numbers[i].istime)
			val_nsecs(text, fabs(v));
		else
			snprintf(text, sizeof(text), "%.0f", fabs(v));
		snprintf(number, sizeof(number), "%s%s",
		    v < 0	   ? "-"
			: ischange ? "+"
				   : "",
		    text);
	}
	buf_printf(b, "%*s", calls_numbers[i].width, number);
}

static void
text_head(struct buf *b)
{
	size_t i;

	for (i = 0; i < CALLS_NNUMBERS; i++)
		buf_printf(b, "%*s", calls_numbers[i].width,
		    calls_numbers[i].head);
	buf_str(b, "          CALL\n");
}

static const char *const text_lines[] = { "before", "after", "change",
	"error" };

#define TEXT_NLINES (sizeof(text_lines) / sizeof(text_lines[0]))

static void
text_call(struct buf *b, const struct hash_entry *e)
{
	struct diff_number sides[DIFF_NSIDES], change;
	size_t i, line;

	for (line = 0; line < TEXT_NLINES; line++) {
		for (i = 0; i < CALLS_NNUMBERS; i++) {
			change = calls_get(e, i, sides);
			text_number(b, i,
			    (const double[]){ sides[DIFF_BEFORE].dnu_value,
				sides[DIFF_AFTER].dnu_value, change.dnu_value,
				change.dnu_error }[line],
			    line == 2);
		}
		buf_printf(b, "  %s", text_lines[line]);
		if (line == 0) {
			buf_str(b, "  ");
			esc_text(b, (const char *)e->he_key, e->he_keylen);
		}
		buf_c(b, '\n');
	}
}

static void
text_end(struct buf *b, const struct diff_calls *dfs, size_t nlisted,
    size_t top, size_t nchance)
{
	char before[VAL_NSECS], after[VAL_NSECS];

	if (nlisted > top)
		buf_printf(b, "and %zu more %s (--top prints more)\n",
		    nlisted - top, nlisted - top == 1 ? "call" : "calls");
	if (nchance > 0)
		buf_printf(b,
		    "%zu %s did not change, or by less than %d standard "
		    "errors\n",
		    nchance, nchance == 1 ? "call" : "calls", CALLS_CERTAIN);
	buf_printf(b, "%llu calls in %s before, %llu in %s after\n",
	    (unsigned long long)dfs->dfs_sums[DIFF_BEFORE].csu_n,
	    val_nsecs(before, dfs->dfs_sums[DIFF_BEFORE].csu_nsecs),
	    (unsigned long long)dfs->dfs_sums[DIFF_AFTER].csu_n,
	    val_nsecs(after, dfs->dfs_sums[DIFF_AFTER].csu_nsecs));
}

void
diff_calls_text(struct diff_calls *dfs, struct buf *b, size_t top)
{
	struct hash_entry **rows = hash_sorted_by(&dfs->dfs_rows, calls_compare,
	    NULL);
	size_t i, n = 0;

	for (i = 0; i < dfs->dfs_rows.ha_n; i++) {
		if (!calls_ischanged(rows[i]) || n++ >= top)
			continue;
		if (n == 1)
			text_head(b);
		text_call(b, rows[i]);
	}
	text_end(b, dfs, n, top, i - n);
	free(rows);
}

/*
 * JSON
 */

/* Times are whole ns, errors may be fractions. */
static void
json_number(struct buf *b, const char *name, double v, int isexact)
{
	buf_printf(b, "\"%s\":", name);
	if (isnan(v))
		buf_str(b, "null");
	else
		buf_printf(b, "%.*f", isexact ? 0 : 1, v);
}

static void
json_call(struct buf *b, const struct hash_entry *e)
{
	struct diff_number sides[DIFF_NSIDES], change;
	size_t i;

	buf_str(b, "{\"call\":\"");
	esc_json(b, (const char *)e->he_key, e->he_keylen);
	buf_c(b, '"');
	for (i = 0; i < CALLS_NNUMBERS; i++) {
		change = calls_get(e, i, sides);
		buf_printf(b, ",\"%s\":{", calls_numbers[i].name);
		json_number(b, "before", sides[DIFF_BEFORE].dnu_value, 1);
		buf_c(b, ',');
		json_number(b, "after", sides[DIFF_AFTER].dnu_value, 1);
		buf_c(b, ',');
		json_number(b, "change", change.dnu_value, 1);
		buf_c(b, ',');
		json_number(b, "error", change.dnu_error, 0);
		buf_c(b, '}');
	}
	buf_str(b, "}\n");
}

void
diff_calls_json(struct diff_calls *dfs, struct buf *b)
{
	struct hash_entry **rows = hash_sorted_by(&dfs->dfs_rows, calls_compare,
	    NULL);
	size_t i;

	for (i = 0; i < dfs->dfs_rows.ha_n; i++)
		json_call(b, rows[i]);
	free(rows);
}
