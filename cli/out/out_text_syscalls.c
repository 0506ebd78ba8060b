/* SPDX-License-Identifier: ISC */
/* Prints the table of dt syscalls: a row per call, the errors last. */
#include "cli/base/esc.h"
#include "cli/base/val.h"
#include "cli/out/out_text.h"

#define SYSCALLS_NAME  16 /* width of a name before errors */
#define SYSCALLS_WIDTH 96 /* narrower terminals lack P50, to have errors */
#define SYSCALLS_CALLS 8  /* columns of the number of calls there */
#define SYSCALLS_TIME  10 /* columns of a time */

/* Columns of times.  A narrow terminal has the columns of low rank only. */
static const struct {
	const char *head;
	int issum; /* else stat */
	enum hist_stat stat;
	unsigned int rank;
} syscalls_times[TEXT_SYSCALLS_NTIMES] = {
	{ "TOTAL", 1, 0, 0 },
	{ "MEAN", 0, HIST_AVG, 1 },
	{ "P50", 0, HIST_P50, 4 },
	{ "P99", 0, HIST_P99, 3 },
	{ "MAX", 0, HIST_MAX, 2 },
};

/* Returns how many columns of times fit next to the calls and their names. */
static unsigned int
syscalls_ntimes(size_t width)
{
	const size_t rest = SYSCALLS_CALLS + 2 + SYSCALLS_NAME;

	if (width >= SYSCALLS_WIDTH)
		return TEXT_SYSCALLS_NTIMES;
	if (width < rest)
		return 0;
	return width < rest + (TEXT_SYSCALLS_NTIMES - 1) * SYSCALLS_TIME
	    ? (width - rest) / SYSCALLS_TIME
	    : TEXT_SYSCALLS_NTIMES - 1;
}

static int
syscalls_calls_width(unsigned int ntimes)
{
	return ntimes < TEXT_SYSCALLS_NTIMES ? SYSCALLS_CALLS : 12;
}

void
text_syscalls_numbers(struct buf *b, const struct out_syscall *oc,
    unsigned int ntimes)
{
	const struct hist *hi = &oc->osc_times;
	char text[VAL_NSECS];
	unsigned int i;

	buf_printf(b, "%*llu", syscalls_calls_width(ntimes),
	    (unsigned long long)oc->osc_count);
	for (i = 0; i < TEXT_SYSCALLS_NTIMES; i++)
		if (syscalls_times[i].rank < ntimes)
			buf_printf(b, " %9s",
			    hi->hi_count == 0 /* it does not return */
				? "-"
				: val_nsecs(text,
				      syscalls_times[i].issum
					  ? hi->hi_sum
					  : hist_stat(hi,
						syscalls_times[i].stat)));
}

void
text_syscalls_numbers_head(struct buf *b, unsigned int ntimes)
{
	unsigned int i;

	buf_printf(b, "%*s", syscalls_calls_width(ntimes), "CALLS");
	for (i = 0; i < TEXT_SYSCALLS_NTIMES; i++)
		if (syscalls_times[i].rank < ntimes)
			buf_printf(b, " %9s", syscalls_times[i].head);
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
	unsigned int syt_ntimes;
};

static void
syscalls_row(struct buf *b, const void *arg, size_t i)
{
	const struct syscalls_table *st = arg;
	const struct out_syscalls *ol = st->syt_calls;
	const struct out_syscall *oc = &ol->osl_rows[i];
	size_t from;

	text_syscalls_numbers(b, oc, st->syt_ntimes);
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
syscalls_head(struct out *out, const struct out_syscalls *ol,
    unsigned int ntimes)
{
	struct buf *b = &out->out_buf;
	const size_t from = b->b_len;

	buf_str(b, out->out_colours[OUT_BOLD]);
	text_syscalls_numbers_head(b, ntimes);
	if (ol->osl_isbypid)
		buf_printf(b, " %7s  %-15s", "PID", "COMM");
	buf_printf(b, "  %-*s  ERRORS", SYSCALLS_NAME, "SYSCALL");
	buf_str(b, out->out_colours[OUT_PLAIN]);
	buf_c(b, '\n');
	text_wrap(b, from);
}

void
text_syscalls(struct out *out, const struct out_syscalls *ol)
{
	const struct out_counts *ot = ol->osl_counts;
	struct text_space tr = text_space(out, ol->osl_n, ot->ot_isinterval);
	const struct syscalls_table st = { ol, syscalls_ntimes(tr.txr_width) };
	struct buf *b = &out->out_buf;

	text_interval(b, ot);
	if (ol->osl_n > 0) {
		syscalls_head(out, ol, st.syt_ntimes);
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
