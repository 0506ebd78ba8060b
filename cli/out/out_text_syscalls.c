/* SPDX-License-Identifier: ISC */
/* Prints the table of dt syscalls: a row per call, the errors last. */
#include "cli/base/esc.h"
#include "cli/base/val.h"
#include "cli/out/out_text.h"

#define SYSCALLS_NTIMES 4  /* columns after the total */
#define SYSCALLS_NAME	16 /* width of a name before errors */
#define SYSCALLS_WIDTH	96 /* narrower terminals lack P50, to have errors */

static const enum hist_stat syscalls_times[SYSCALLS_NTIMES] = { HIST_AVG,
	HIST_P50, HIST_P99, HIST_MAX };

static void
syscalls_time(struct buf *b, int64_t nsecs)
{
	char text[VAL_NSECS];

	buf_printf(b, " %9s", val_nsecs(text, nsecs));
}

static void
syscalls_times_text(struct buf *b, const struct hist *hi, int isnarrow)
{
	unsigned int i;

	if (hi->hi_count == 0) { /* it does not return */
		for (i = isnarrow != 0; i < 1 + SYSCALLS_NTIMES; i++)
			buf_printf(b, " %9s", "-");
		return;
	}
	syscalls_time(b, hi->hi_sum);
	for (i = 0; i < SYSCALLS_NTIMES; i++)
		if (!isnarrow || syscalls_times[i] != HIST_P50)
			syscalls_time(b, hist_stat(hi, syscalls_times[i]));
}

void
text_syscalls_numbers(struct buf *b, const struct out_syscall *oc, int isnarrow)
{
	buf_printf(b, "%*llu", isnarrow ? 8 : 12,
	    (unsigned long long)oc->osc_count);
	syscalls_times_text(b, &oc->osc_times, isnarrow);
}

void
text_syscalls_numbers_head(struct buf *b, int isnarrow)
{
	buf_printf(b, "%*s %9s %9s", isnarrow ? 8 : 12, "CALLS", "TOTAL",
	    "MEAN");
	if (!isnarrow)
		buf_printf(b, " %9s", "P50");
	buf_printf(b, " %9s %9s", "P99", "MAX");
}

void
text_syscalls_failures(struct buf *b, const struct out_syscall *oc)
{
	const struct out_failure *of = oc->osc_failures;
	const char *name;
	size_t i;

	for (i = 0; i < oc->osc_nfailures; i++, of++) {
		name = val_errname(of->ofl_errno);
		buf_str(b, i > 0 ? ", " : "");
		if (name != NULL)
			buf_str(b, name);
		else
			buf_printf(b, "errno %u", of->ofl_errno);
		buf_printf(b, " %llu", (unsigned long long)of->ofl_count);
	}
}

struct syscalls_table {
	const struct out_syscalls *syt_calls;
	int syt_isnarrow;
};

static void
syscalls_row(struct buf *b, const void *arg, size_t i)
{
	const struct syscalls_table *st = arg;
	const struct out_syscalls *ol = st->syt_calls;
	const struct out_syscall *oc = &ol->osl_rows[i];
	size_t from;

	text_syscalls_numbers(b, oc, st->syt_isnarrow);
	if (ol->osl_isbypid) {
		buf_printf(b, " %7u  ", oc->osc_pid);
		from = b->b_len;
		esc_text(b, oc->osc_comm, oc->osc_ncomm);
		buf_pad(b, from, 15);
	}
	buf_str(b, "  ");
	from = b->b_len;
	esc_str(b, oc->osc_name);
	if (oc->osc_nfailures > 0) {
		buf_pad(b, from, SYSCALLS_NAME);
		buf_str(b, "  ");
		text_syscalls_failures(b, oc);
	}
	buf_c(b, '\n');
}

static void
syscalls_head(struct out *out, const struct out_syscalls *ol, int isnarrow)
{
	struct buf *b = &out->out_buf;

	buf_str(b, out->out_colours[OUT_BOLD]);
	text_syscalls_numbers_head(b, isnarrow);
	if (ol->osl_isbypid)
		buf_printf(b, " %7s  %-15s", "PID", "COMM");
	buf_printf(b, "  %-*s  ERRORS", SYSCALLS_NAME, "SYSCALL");
	buf_str(b, out->out_colours[OUT_PLAIN]);
	buf_c(b, '\n');
}

void
text_syscalls(struct out *out, const struct out_syscalls *ol)
{
	const struct out_counts *ot = ol->osl_counts;
	struct text_space tr = text_space(out, ol->osl_n, ot->ot_isinterval);
	const struct syscalls_table st = { ol, tr.txr_width < SYSCALLS_WIDTH };
	struct buf *b = &out->out_buf;

	text_interval(b, ot);
	if (ol->osl_n > 0) {
		syscalls_head(out, ol, st.syt_isnarrow);
		text_rows(out, &tr, ol->osl_n, syscalls_row, &st);
		if (ot->ot_nothers > 0)
			buf_printf(b,
			    "%12llu  all others: the table is full (%zu "
			    "rows)\n",
			    (unsigned long long)ot->ot_nothers, ot->ot_n);
	}
	text_full(out, ot);
	if (ot->ot_isinterval && ol->osl_n > 0)
		buf_c(b, '\n');
}
