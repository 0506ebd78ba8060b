/* SPDX-License-Identifier: ISC */
/*
 * Prints the table of stat: as wide as its content, and on a terminal no longer
 * than its lines.
 */
#include <sys/ioctl.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/esc.h"
#include "cli/base/pager.h"
#include "cli/out/out_text.h"

/*
 * Lines of a terminal besides the rows: header, number of cut rows, next prompt,
 * and up to four of the ledger; with -i the line of the time, and an empty one.
 */
#define TEXT_LINES    7
#define TEXT_INTERVAL 2

struct text_space
text_space(const struct out *out, size_t nrows, int isinterval)
{
	struct text_space tr = { SIZE_MAX, SIZE_MAX, SIZE_MAX };
	unsigned int keep = TEXT_LINES + (isinterval ? TEXT_INTERVAL : 0);
	struct winsize ws;

	if (pager_size(out->out_buf.b_fd, &ws) == -1)
		memset(&ws, 0, sizeof(ws));
	if (ws.ws_col > 0)
		tr.txr_width = ws.ws_col;
	if (out->out_opts->o_print.opi_top != 0)
		tr.txr_rows = out->out_opts->o_print.opi_top;
	else if (!pager_isused() && ws.ws_row > 0) {
		tr.txr_lines = ws.ws_row > keep ? ws.ws_row - keep : 1;
		tr.txr_rows = tr.txr_lines;
	}
	if (tr.txr_rows > nrows)
		tr.txr_rows = nrows;
	return tr;
}

/* Computes the width of each column from the rows that may be printed. */
static void
text_widths(const struct out_counts *ot, size_t nrows, unsigned int *widths)
{
	const struct key_column *bl;
	struct buf b;
	unsigned int c;
	size_t i;

	buf_init(&b, -1);
	for (c = 0; c < keys_ncolumns(ot->ot_by); c++) {
		bl = keys_column(ot->ot_by, c);
		if (bl->kl_islines)
			continue;
		widths[c] = bl->kl_min;
		if (widths[c] < strlen(bl->kl_name))
			widths[c] = strlen(bl->kl_name);
		for (i = 0; i < nrows && widths[c] < bl->kl_max; i++) {
			b.b_len = 0;
			keys_text(ot->ot_by, c, ot->ot_counts[i].oc_key, &b);
			if (b.b_len > widths[c])
				widths[c] = b.b_len < bl->kl_max ? b.b_len
								 : bl->kl_max;
		}
	}
	buf_free(&b);
}

void
text_cell(struct buf *b, size_t from, unsigned int width, int isright,
    int islast)
{
	size_t n = b->b_len - from;

	if (n >= width || (islast && !isright))
		return;
	if (isright) {
		buf_room(b, width - n);
		memmove(b->b_data + from + width - n, b->b_data + from, n);
		memset(b->b_data + from, ' ', width - n);
		b->b_len = from + width;
	} else
		buf_pad(b, from, width);
}

int
text_istime(const struct out_counts *ot)
{
	return keys_unit(ot->ot_by) == KEY_NSECS;
}

const char *
text_value(char text[VAL_NSECS], const struct out_counts *ot, int64_t value)
{
	switch (keys_unit(ot->ot_by)) {
	case KEY_NSECS:
		return val_nsecs(text, value);
	case KEY_NBYTES:
		return val_nbytes(text, value);
	case KEY_NUMBER:
		break;
	}
	snprintf(text, VAL_NSECS, "%lld", (long long)value);
	return text;
}

/* Rows of stat, and the widths of the columns of their keys. */
struct text_table {
	const struct out_counts *txt_counts;
	unsigned int txt_widths[KEY_MAXKEYS];
};

/* Returns the width of a row with durations. */
static size_t
text_width(const struct out_counts *ot, const unsigned int *widths)
{
	size_t width = 8 + (ot->ot_nosum ? 0 : 10) +
	    10 * __builtin_popcount(ot->ot_stats);
	unsigned int c;

	for (c = 0; c < keys_ncolumns(ot->ot_by); c++)
		if (!keys_column(ot->ot_by, c)->kl_islines)
			width += 2 + widths[c];
	return width;
}

/*
 * Leaves out columns that are printed by default, so that a row fits a line of
 * the terminal.
 */
static void
text_fit(struct out_counts *ot, const unsigned int *widths, size_t width)
{
	if (!ot->ot_istimes)
		return;
	ot->ot_nosum = text_width(ot, widths) > width;
	if (text_width(ot, widths) > width)
		ot->ot_stats &= ~(1U << HIST_P99);
}

/* Prints the columns of values; NULL: their names, or that there are none. */
static void
text_stats(struct buf *b, const struct out_counts *ot, const struct hist *hi,
    int ishead)
{
	const int width = keys_unit(ot->ot_by) != KEY_NUMBER ? 9 : 12;
	char name[16], text[VAL_NSECS];
	unsigned int i, j;

	for (i = 0; i < HIST_NSTATS; i++) {
		if (!(ot->ot_stats >> i & 1))
			continue;
		snprintf(name, sizeof(name), "%s",
		    ishead ? hist_stat_name(i) : "-");
		for (j = 0; name[j] != '\0'; j++)
			name[j] = toupper((unsigned char)name[j]);
		if (hi != NULL)
			buf_printf(b, " %*s", width,
			    text_value(text, ot, hist_stat(hi, i)));
		else
			buf_printf(b, " %*s", width, name);
	}
}

/* Returns the last column that is not lines, whose cells are not padded. */
static unsigned int
text_lastcolumn(const struct out_counts *ot)
{
	unsigned int c = keys_ncolumns(ot->ot_by);

	while (c > 0 && keys_column(ot->ot_by, c - 1)->kl_islines)
		c--;
	return c - 1;
}

void
text_counts_numbers_head(struct buf *b, const struct out_counts *ot)
{
	if (text_istime(ot))
		buf_printf(b, ot->ot_nosum ? "%8s" : "%8s %9s", "COUNT", "SUM");
	else if (keys_unit(ot->ot_by) == KEY_NBYTES)
		buf_printf(b, "%8s %9s %9s", "COUNT", "SUM", "SUM/s");
	else if (keys_sumname(ot->ot_by) != NULL)
		buf_printf(b, "%12s %16s %14s", "COUNT", "SUM", "SUM/s");
	else
		buf_printf(b, "%12s %12s", "COUNT", "RATE/s");
	text_stats(b, ot, NULL, 1);
}

static void
text_counts_head(struct out *out, const struct text_table *tt)
{
	const struct out_counts *ot = tt->txt_counts;
	const struct key_column *bl;
	struct buf *b = &out->out_buf;
	unsigned int c, n = keys_ncolumns(ot->ot_by);
	const unsigned int last = text_lastcolumn(ot);
	const size_t line = b->b_len;
	size_t from;

	buf_str(b, out->out_colours[OUT_BOLD]);
	text_counts_numbers_head(b, ot);
	for (c = 0; c < n; c++) {
		bl = keys_column(ot->ot_by, c);
		if (bl->kl_islines)
			continue;
		buf_str(b, bl->kl_isright ? " " : "  ");
		from = b->b_len;
		esc_str(b, bl->kl_name);
		text_cell(b, from, tt->txt_widths[c], bl->kl_isright,
		    c == last);
	}
	buf_str(b, out->out_colours[OUT_PLAIN]);
	buf_c(b, '\n');
	text_wrap(b, line);
}

void
text_counts_numbers(struct buf *b, const struct out_counts *ot, uint64_t count,
    int64_t sum, const struct hist *hi)
{
	enum key_unit unit = keys_unit(ot->ot_by);
	double secs = ot->ot_nsecs / 1e9;
	char text[VAL_NSECS];

	buf_printf(b, unit == KEY_NUMBER ? "%12llu" : "%8llu",
	    (unsigned long long)count);
	if (keys_sumname(ot->ot_by) == NULL)
		buf_printf(b, " %12.1f", secs > 0 ? count / secs : 0);
	else if (unit == KEY_NUMBER)
		buf_printf(b, " %16lld %14.1f", (long long)sum,
		    secs > 0 ? sum / secs : 0);
	else if (!ot->ot_nosum)
		buf_printf(b, " %9s", text_value(text, ot, sum));
	if (unit == KEY_NBYTES)
		buf_printf(b, " %9s",
		    val_nbytes(text, secs > 0 ? sum / secs : 0));
	text_stats(b, ot, hi, 0);
}

/* Prints the keys that are lines below the row, and then an empty line. */
static void
text_row_lines(struct buf *b, const struct out_counts *ot,
    const struct out_count *oc)
{
	unsigned int c, n = keys_ncolumns(ot->ot_by);
	int haslines = 0;

	for (c = 0; c < n; c++)
		if (keys_column(ot->ot_by, c)->kl_islines) {
			keys_text(ot->ot_by, c, oc->oc_key, b);
			haslines = 1;
		}
	buf_str(b, haslines ? "\n\n" : "\n");
}

static void
text_row(struct buf *b, const void *arg, size_t i)
{
	const struct text_table *tt = arg;
	const struct out_counts *ot = tt->txt_counts;
	const struct out_count *oc = &ot->ot_counts[i];
	const struct key_column *bl;
	unsigned int c, n = keys_ncolumns(ot->ot_by);
	const unsigned int last = text_lastcolumn(ot);
	size_t from;

	text_counts_numbers(b, ot, oc->oc_count, oc->oc_sum, oc->oc_hist);
	for (c = 0; c < n; c++) {
		bl = keys_column(ot->ot_by, c);
		if (bl->kl_islines)
			continue;
		buf_str(b, bl->kl_isright ? " " : "  ");
		from = b->b_len;
		keys_text(ot->ot_by, c, oc->oc_key, b);
		text_cell(b, from, tt->txt_widths[c], bl->kl_isright,
		    c == last);
	}
	text_row_lines(b, ot, oc);
}

/* Returns how many lines of the terminal a text takes. */
static size_t
text_nlines(const char *s, size_t len, size_t width)
{
	const char *end;
	size_t n = 0;

	for (; len > 0; len -= end - s, s = end) {
		end = memchr(s, '\n', len);
		end = end != NULL ? end + 1 : s + len;
		n += end - s > 1 ? (end - s + width - 2) / width : 1;
	}
	return n;
}

void
text_rows(struct out *out, const struct text_space *tr, size_t nrows,
    void (*row)(struct buf *, const void *, size_t), const void *arg)
{
	struct buf *b = &out->out_buf;
	size_t i, from, used = 0;

	for (i = 0; i < tr->txr_rows; i++) {
		from = b->b_len;
		row(b, arg, i);
		if (tr->txr_width != SIZE_MAX)
			text_wrap(b, from);
		if (tr->txr_lines != SIZE_MAX) {
			used += text_nlines(b->b_data + from, b->b_len - from,
			    tr->txr_width);
			if (used > tr->txr_lines && i > 0) {
				b->b_len = from;
				break;
			}
		}
		buf_line(b);
	}
	from = b->b_len;
	if (i < nrows)
		buf_printf(b,
		    "%12s %zu more rows (--top N prints N rows, -j all)\n",
		    "and", nrows - i);
	text_wrap(b, from);
}

void
text_full(struct out *out, const struct out_counts *ot)
{
	if (ot->ot_nfull > 0)
		buf_printf(&out->out_buf,
		    "%12llu events of keys for which the kernel's table was "
		    "full\n",
		    (unsigned long long)ot->ot_nfull);
}

uint64_t
text_nevents(const struct out_counts *ot)
{
	uint64_t sum = ot->ot_nothers + ot->ot_nfull;
	size_t i;

	for (i = 0; i < ot->ot_n; i++)
		sum += ot->ot_counts[i].oc_count;
	return sum;
}

void
text_interval(struct buf *b, const struct out_counts *ot)
{
	if (!ot->ot_isinterval)
		return;
	val_time(b, &ot->ot_end);
	buf_printf(b, "  %.3f s, %llu events\n", ot->ot_nsecs / 1e9,
	    (unsigned long long)text_nevents(ot));
}

void
text_counts(struct out *out, const struct out_counts *ot)
{
	struct text_space tr = text_space(out, ot->ot_n, ot->ot_isinterval);
	struct out_counts fit = *ot;
	struct text_table tt = { .txt_counts = &fit };
	struct buf *b = &out->out_buf;

	text_interval(b, ot);
	if (ot->ot_n == 0) {
		text_full(out, ot);
		return;
	}
	if (ot->ot_ishist) {
		text_hists(out, ot, tr.txr_rows);
		return;
	}
	text_widths(ot, tr.txr_rows, tt.txt_widths);
	text_fit(&fit, tt.txt_widths, tr.txr_width);
	text_counts_head(out, &tt);
	text_rows(out, &tr, ot->ot_n, text_row, &tt);
	if (ot->ot_nothers > 0) {
		text_counts_numbers(b, &fit, ot->ot_nothers, ot->ot_othersum,
		    NULL);
		buf_printf(b, "  all others: the table is full (%zu rows)\n",
		    ot->ot_n);
	}
	text_full(out, ot);
	if (ot->ot_isinterval)
		buf_c(b, '\n');
}
