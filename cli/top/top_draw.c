/* SPDX-License-Identifier: ISC */
/* Draws the full screen of dt top: head, rows, a line for messages; or the help. */
#include <stdio.h>
#include <string.h>

#include "cli/top/top_keys.h"

/* Returns the number of lines above the rows; a quarter is of machines. */
static unsigned int
draw_nhead(struct top_run *tp)
{
	unsigned int keys;

	tp->top_nlines = top_screen_lines() / 4;
	return top_layout_nhead(tp, &keys);
}

size_t
top_draw_nrows(struct top_run *tp)
{
	unsigned int n = top_screen_lines(), nhead = draw_nhead(tp);

	return n > nhead + 1 ? n - nhead - 1 : 0;
}

/* Keeps the cursor on the screen. */
static void
draw_scroll(struct keys_screen *ks)
{
	size_t n = top_draw_nrows(ks->ksc_top), all = ks->ksc_top->top_n;

	if (ks->ksc_selected >= all)
		ks->ksc_selected = all > 0 ? all - 1 : 0;
	if (ks->ksc_selected < ks->ksc_first)
		ks->ksc_first = ks->ksc_selected;
	if (n > 0 && ks->ksc_selected >= ks->ksc_first + n)
		ks->ksc_first = ks->ksc_selected - n + 1;
}

static void
draw_line(unsigned int line, const char *text, enum top_look look)
{
	top_screen_put(line, text, top_layout_fit(text, top_screen_width()),
	    look);
}

static void
draw_help(void)
{
	const struct top_view *const *v;
	unsigned int line = 0, n = top_screen_lines();
	const struct keys_row *k;
	char text[128];

	for (v = top_views; *v != NULL && line + 1 < n; v++) {
		snprintf(text, sizeof(text), "%-12c%s: %s", (*v)->tov_key,
		    (*v)->tov_name, (*v)->tov_what);
		draw_line(line++, text, TOP_PLAIN);
	}
	for (k = keys_table; k->kro_func != NULL && line + 1 < n; k++) {
		if (k->kro_name == NULL)
			continue;
		snprintf(text, sizeof(text), "%-12s%s", k->kro_name,
		    k->kro_help);
		draw_line(line++, text, TOP_PLAIN);
	}
}

static void
draw_rows(struct keys_screen *ks)
{
	struct top_run *tp = ks->ksc_top;
	unsigned int i, width = top_screen_width();
	unsigned int nhead = draw_nhead(tp);
	size_t n = top_draw_nrows(tp);
	struct buf b;
	enum top_look look;

	draw_scroll(ks);
	if (!tp->top_isfrozen)
		top_details(tp, ks->ksc_first, ks->ksc_first + n);
	buf_init(&b, -1);
	for (i = 0; i < nhead && i + 1 < top_screen_lines(); i++) {
		b.b_len = 0;
		look = top_layout_head(&b, tp, i, width);
		top_screen_put(i, b.b_data, b.b_len, look);
	}
	for (i = 0; i < n && ks->ksc_first + i < tp->top_n; i++) {
		b.b_len = 0;
		top_layout_row(&b, tp, &tp->top_rows[ks->ksc_first + i], width);
		top_screen_put(nhead + i, b.b_data, b.b_len,
		    ks->ksc_first + i == ks->ksc_selected ? TOP_SELECTED
							  : TOP_PLAIN);
	}
	buf_free(&b);
}

void
top_draw(struct keys_screen *ks)
{
	unsigned int n = top_screen_lines();
	char text[TOP_TITLE + 16];

	top_screen_clear();
	if (ks->ksc_ishelp)
		draw_help();
	else
		draw_rows(ks);
	if (ks->ksc_isediting)
		snprintf(text, sizeof(text), "/%s_", ks->ksc_top->top_filter);
	else
		snprintf(text, sizeof(text), "%s",
		    ks->ksc_message != NULL ? ks->ksc_message
			: ks->ksc_ishelp    ? "h: back"
					    : "h help  q quit");
	if (n > 0)
		draw_line(n - 1, text, TOP_PLAIN);
	top_screen_show();
}
