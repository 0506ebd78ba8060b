/* SPDX-License-Identifier: ISC */
/* Prints the histograms of stat as text: one per key. */

#include "cli/base/esc.h"
#include "cli/out/out_text.h"

/* Prints "PROBE syscall:read:return  COMM dd", and the value counted. */
static void
hist_head(struct out *out, const struct out_counts *ot,
    const struct out_count *oc)
{
	const char *sum = keys_sumname(ot->ot_by);
	struct buf *b = &out->out_buf;
	unsigned int c, ncolumns = keys_ncolumns(ot->ot_by);
	uint64_t n = oc->oc_hist->hi_count;
	double mean = (double)oc->oc_sum / n;
	char text[VAL_NSECS];

	for (c = 0; c < ncolumns; c++) {
		buf_str(b, c > 0 ? "  " : "");
		esc_str(b, keys_column(ot->ot_by, c)->kl_name);
		buf_c(b, ' ');
		buf_str(b, out->out_colours[OUT_BOLD]);
		keys_text(ot->ot_by, c, oc->oc_key, b);
		buf_str(b, out->out_colours[OUT_PLAIN]);
	}
	buf_str(b, "\n  ");
	esc_str(b, sum);
	buf_printf(b, ": %llu value%s", (unsigned long long)n,
	    n == 1 ? "" : "s");
	buf_printf(b, ", mean %s",
	    text_value(text, ot, mean < 0 ? mean - 0.5 : mean + 0.5));
	buf_printf(b, ", sum %s%s\n", text_value(text, ot, oc->oc_sum),
	    text_istime(ot) ? "; ranges in ns" : "");
}

/* "  p50 812, p90 3100, p99 4350, max 4401" */
static void
hist_foot(struct buf *b, const struct out_counts *ot, const struct hist *hi)
{
	const char *sep = "  ";
	char text[VAL_NSECS];
	unsigned int i;

	for (i = 0; i < HIST_NSTATS; i++) {
		if (!(ot->ot_stats >> i & 1))
			continue;
		buf_printf(b, "%s%s %s", sep, hist_stat_name(i),
		    text_value(text, ot, hist_stat(hi, i)));
		sep = ", ";
	}
	buf_c(b, '\n');
}

void
text_hist(struct out *out, const struct out_counts *ot,
    const struct out_count *oc)
{
	hist_head(out, ot, oc);
	hist_text(oc->oc_hist, &out->out_buf);
	hist_foot(&out->out_buf, ot, oc->oc_hist);
}

void
text_hists(struct out *out, const struct out_counts *ot, size_t nrows)
{
	struct buf *b = &out->out_buf;
	const struct out_count *oc;
	size_t i;

	for (i = 0; i < nrows; i++) {
		oc = &ot->ot_counts[i];
		if (oc->oc_hist == NULL)
			continue; /* failed calls have no value */
		text_hist(out, ot, oc);
		buf_c(b, '\n');
		buf_line(b);
	}
	if (nrows < ot->ot_n)
		buf_printf(b, "and %zu more (--top N prints N, -j all)\n",
		    ot->ot_n - nrows);
	if (ot->ot_nothers > 0)
		buf_printf(b,
		    "%llu events of all others: the table is full (%zu keys)\n",
		    (unsigned long long)ot->ot_nothers, ot->ot_n);
	text_full(out, ot);
}
