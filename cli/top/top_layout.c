/* SPDX-License-Identifier: ISC */
/*
 * The lines of a screen: title, losses and costs, views, headings; then rows.
 * A narrow terminal shows the column of the order, then as many as fit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cli/base/esc.h"
#include "cli/base/val.h"
#include "cli/top/top_hosts.h"
#include "cli/top/top_layout.h"

#define LAYOUT_NAME 10 /* columns for names, at least */
#define LAYOUT_HOST 40 /* columns of a line with the machine, besides it */

size_t
top_layout_fit(const char *text, unsigned int width)
{
	mbstate_t state = { 0 };
	size_t at = 0, n, len = strlen(text);
	unsigned int used = 0;
	wchar_t wc;
	int w;

	while (at < len) {
		n = mbrtowc(&wc, text + at, len - at, &state);
		if (n == (size_t)-1 || n == (size_t)-2) {
			memset(&state, 0, sizeof(state));
			n = 1;
			w = 1;
		} else if ((w = wcwidth(wc)) < 0)
			w = 1;
		if (used + w > width)
			break;
		used += w;
		at += n;
	}
	return at;
}

/* Appends an untrusted text, cut to a width. */
static void
layout_text(struct buf *b, const char *text, unsigned int width)
{
	struct buf tmp;

	buf_init(&tmp, -1);
	esc_str(&tmp, text);
	buf_c(&tmp, '\0');
	buf_mem(b, tmp.b_data, top_layout_fit(tmp.b_data, width));
	buf_free(&tmp);
}

/* Cells */

/* Three digits and a unit: 512, 3.4k, 12M. */
static void
layout_scaled(char *text, size_t size, double v, double base)
{
	static const char units[] = " kMGTPE";
	unsigned int i = 0;

	while (v >= 999.5 && units[i + 1] != '\0') {
		v /= base;
		i++;
	}
	if (i == 0)
		snprintf(text, size, "%.*f", v < 9.95 && v != floor(v), v);
	else
		snprintf(text, size, "%.*f%c", v < 9.95, v, units[i]);
}

static void
cell_text(char *text, size_t size, const struct top_row *r,
    const struct top_column *c)
{
	double v = r->tow_nums[c->toc_index];

	switch (c->toc_kind) {
	case TOP_PID:
		snprintf(text, size, r->tow_pid != 0 ? "%u" : "-", r->tow_pid);
		return;
	case TOP_TID:
		snprintf(text, size, "%u", r->tow_tid);
		return;
	case TOP_TEXT:
		snprintf(text, size, "%s", r->tow_tags[c->toc_index]);
		return;
	default:
		break;
	}
	if (isnan(v))
		snprintf(text, size, "-");
	else if (c->toc_kind == TOP_PERCENT)
		snprintf(text, size, "%.1f", v);
	else if (c->toc_kind == TOP_NSECS)
		val_nsecs(text, v);
	else
		layout_scaled(text, size, v,
		    c->toc_kind == TOP_BYTES ? 1024 : 1000);
}

static void
layout_cell(struct buf *b, const char *text, const struct top_column *c)
{
	size_t from = b->b_len;

	if (c->toc_kind == TOP_TEXT) {
		layout_text(b, text, c->toc_width);
		buf_pad(b, from, c->toc_width);
	} else
		buf_printf(b, "%*s", (int)c->toc_width, text);
	buf_c(b, ' ');
}

/*
 * Chooses the columns that fit next to the name, the column of the order
 * first.  Returns a bit for each.
 */
static unsigned int
layout_columns(const struct top_scope *sc, unsigned int width)
{
	const struct top_column *c = sc->tsc_view->tov_columns;
	unsigned int i, left, chosen = 0;

	left = width > LAYOUT_NAME ? width - LAYOUT_NAME : 0;
	if (c[sc->tsc_sort].toc_width + 1 <= left) {
		chosen |= 1U << sc->tsc_sort;
		left -= c[sc->tsc_sort].toc_width + 1;
	}
	for (i = 0; i < TOP_NCOLUMNS && c[i].toc_kind != TOP_NONE; i++) {
		if (i == sc->tsc_sort || c[i].toc_width + 1 > left)
			continue;
		chosen |= 1U << i;
		left -= c[i].toc_width + 1;
	}
	return chosen;
}

static void
layout_name(struct buf *b, size_t from, const char *name, unsigned int width)
{
	size_t used = b->b_len - from;

	if (used < width)
		layout_text(b, name, width - used);
}

/* Appends a machine, or the heading; a narrow terminal has none. */
static void
layout_host(struct buf *b, const struct top_run *tp, const char *name,
    unsigned int *width)
{
	unsigned int n;
	size_t from = b->b_len;

	if (tp->top_hosts == NULL)
		return;
	n = top_hosts_width(tp);
	if (*width < LAYOUT_HOST + n)
		return;
	layout_text(b, name, n);
	buf_pad(b, from, n);
	buf_c(b, ' ');
	*width -= n + 1;
}

void
top_layout_row(struct buf *b, struct top_run *tp, const struct top_row *r,
    unsigned int width)
{
	const struct top_scope *sc = top_scope(tp);
	const struct top_column *c = sc->tsc_view->tov_columns;
	unsigned int i, chosen;
	char text[VAL_NSECS];
	size_t from;

	layout_host(b, tp,
	    r->tow_host != 0 ? top_hosts_name(tp, r->tow_host) : "", &width);
	from = b->b_len;
	chosen = layout_columns(sc, width);
	for (i = 0; i < TOP_NCOLUMNS; i++) {
		if (!(chosen & 1U << i))
			continue;
		cell_text(text, sizeof(text), r, &c[i]);
		layout_cell(b, text, &c[i]);
	}
	layout_name(b, from, r->tow_name, width);
}

/* Lines above the rows */

static enum top_look
head_columns(struct buf *b, struct top_run *tp, unsigned int width)
{
	const struct top_scope *sc = top_scope(tp);
	const struct top_column *c = sc->tsc_view->tov_columns;
	unsigned int i, chosen;
	char text[VAL_NSECS];
	size_t from;

	layout_host(b, tp, "HOST", &width);
	from = b->b_len;
	chosen = layout_columns(sc, width);
	for (i = 0; i < TOP_NCOLUMNS; i++) {
		if (!(chosen & 1U << i))
			continue;
		snprintf(text, sizeof(text), "%s%s",
		    i != sc->tsc_sort	    ? ""
			: tp->top_isreverse ? "^"
					    : "",
		    c[i].toc_name);
		layout_cell(b, text, &c[i]);
	}
	layout_name(b, from, sc->tsc_view->tov_label, width);
	return TOP_HEAD;
}

static enum top_look
head_title(struct buf *b, struct top_run *tp, unsigned int width)
{
	const struct top_scope *sc = top_scope(tp);
	const struct top_column *c = &sc->tsc_view->tov_columns[sc->tsc_sort];
	char text[512];

	snprintf(text, sizeof(text), "dt top: %s%s%s%s%s by %s%s%s%s%s%s",
	    sc->tsc_view->tov_name, *sc->tsc_title != '\0' ? " of " : "",
	    sc->tsc_title, sc->tsc_host != 0 ? " on " : "",
	    sc->tsc_host != 0 ? top_hosts_name(tp, sc->tsc_host) : "",
	    c->toc_name, tp->top_isreverse ? ", reversed" : "",
	    tp->top_isfrozen ? ", frozen" : "",
	    *tp->top_filter != '\0' ? ", with '" : "", tp->top_filter,
	    *tp->top_filter != '\0' ? "'" : "");
	layout_text(b, text, width);
	return TOP_PLAIN;
}

static void
head_share(char *text, size_t size, const char *name, double share)
{
	if (isnan(share))
		snprintf(text, size, ", %s ?", name);
	else
		snprintf(text, size, ", %s %.2f%%", name, share);
}

/* Losses first, so that a narrow terminal has them, too. */
enum top_look
top_layout_cost(struct buf *b, const struct top_cost *tc, size_t n)
{
	char dt[32], dtd[32], programs[32];

	head_share(dt, sizeof(dt), "dt", tc->tct_selfshare);
	head_share(dtd, sizeof(dtd), "dtd", tc->tct_dtdshare);
	head_share(programs, sizeof(programs), "probes", tc->tct_programs);
	buf_printf(b, "lost %llu%s%s%s of a CPU, %zu row%s",
	    (unsigned long long)tc->tct_lost, dt, dtd, programs, n,
	    n == 1 ? "" : "s");
	return tc->tct_lost > 0 ? TOP_LOSS : TOP_PLAIN;
}

/* The line of this machine, or one of other machines. */
static enum top_look
head_cost(struct buf *b, struct top_run *tp, unsigned int line,
    unsigned int nlines, unsigned int width)
{
	enum top_look look = TOP_LOSS;
	struct buf text;

	buf_init(&text, -1);
	if (tp->top_hosts != NULL)
		look = top_hosts_line(&text, tp, line, nlines);
	else if (tp->top_session.tos_note != NULL)
		buf_str(&text, tp->top_session.tos_note);
	else
		look = top_layout_cost(&text, &tp->top_cost, tp->top_n);
	buf_c(&text, '\0');
	layout_text(b, text.b_data, width);
	buf_free(&text);
	return look;
}

static enum top_look
head_views(struct buf *b, struct top_run *tp, unsigned int width)
{
	const struct top_view *const *v;
	const struct top_view *now = top_scope(tp)->tsc_view;
	char text[256];
	size_t n = 0;

	for (v = top_views; *v != NULL; v++) {
		if ((*v)->tov_isofpid && !top_isofpid(tp))
			continue;
		n += snprintf(text + n, sizeof(text) - n,
		    *v == now ? "[%c %s] " : "%c %s ", (*v)->tov_key,
		    (*v)->tov_name);
	}
	layout_text(b, text, width);
	return TOP_PLAIN;
}

/* Returns the number of lines about costs. */
static unsigned int
head_ncosts(const struct top_run *tp)
{
	return tp->top_hosts != NULL ? top_hosts_nlines(tp, tp->top_nlines) : 1;
}

unsigned int
top_layout_nhead(const struct top_run *tp, unsigned int *keys)
{
	*keys = 1 + head_ncosts(tp);
	return *keys + 2;
}

enum top_look
top_layout_head(struct buf *b, struct top_run *tp, unsigned int line,
    unsigned int width)
{
	unsigned int ncosts = head_ncosts(tp);

	if (line == 0)
		return head_title(b, tp, width);
	if (line <= ncosts)
		return head_cost(b, tp, line - 1, ncosts, width);
	if (line == ncosts + 1)
		return head_views(b, tp, width);
	return head_columns(b, tp, width);
}
