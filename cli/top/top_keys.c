/* SPDX-License-Identifier: ISC */
/*
 * The full screen of dt top: reads when it is time, acts on keys, and draws the
 * head, the rows and a line for messages, or the help.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/sigs.h"
#include "cli/top/top_hosts.h"
#include "cli/top/top_screen.h"
#include "common/clock.h"

#define KEYS_SOON 300000000 /* ns until a view's first rows */

/* The state of the screen. */
struct keys_screen {
	struct top_run *ksc_top;
	size_t ksc_first;	   /* row at the top */
	size_t ksc_selected;	   /* row of the cursor */
	struct top_row ksc_wanted; /* identifies the selected row */
	char ksc_wantedname[256];
	int ksc_isshown; /* the cursor was moved */
	int ksc_ishelp;
	int ksc_isquit;
	int ksc_isediting;	 /* the filter is typed */
	const char *ksc_message; /* NULL: none */
	uint64_t ksc_due;	 /* time of the next reading */
};

/* A key, or two for one purpose; other 0: one. */
struct keys_row {
	int kro_key, kro_other;
	void (*kro_func)(struct keys_screen *);
	const char *kro_name, *kro_help; /* NULL: not in the help */
};

/* Lines */

/* Returns the number of lines above the rows; a quarter is of machines. */
static unsigned int
draw_nhead(struct top_run *tp)
{
	unsigned int keys;

	tp->top_nlines = top_screen_lines() / 4;
	return top_layout_nhead(tp, &keys);
}

/* Returns the number of rows that fit on the screen. */
static size_t
draw_nrows(struct top_run *tp)
{
	unsigned int n = top_screen_lines(), nhead = draw_nhead(tp);

	return n > nhead + 1 ? n - nhead - 1 : 0;
}

/* Moves */

/* Remembers the selected row, since its place changes. */
static void
keys_want(struct keys_screen *ks)
{
	const struct top_run *tp = ks->ksc_top;

	if (ks->ksc_selected >= tp->top_n)
		return;
	ks->ksc_wanted = tp->top_rows[ks->ksc_selected];
	snprintf(ks->ksc_wantedname, sizeof(ks->ksc_wantedname), "%s",
	    ks->ksc_wanted.tow_name);
}

static int
keys_iswanted(const struct keys_screen *ks, const struct top_row *r)
{
	const struct top_row *w = &ks->ksc_wanted;

	if (r->tow_tid != w->tow_tid || r->tow_id != w->tow_id ||
	    r->tow_host != w->tow_host)
		return 0;
	if (r->tow_id != 0 || r->tow_tid != 0)
		return r->tow_id == 0 || r->tow_pid == w->tow_pid;
	return r->tow_pid == w->tow_pid &&
	    (r->tow_pid != 0 ||
		strncmp(r->tow_name, ks->ksc_wantedname,
		    sizeof(ks->ksc_wantedname) - 1) == 0);
}

/* After a reading: the cursor stays at its row once it was moved. */
static void
keys_find(struct keys_screen *ks)
{
	const struct top_run *tp = ks->ksc_top;
	size_t i;

	for (i = 0; ks->ksc_isshown && i < tp->top_n; i++)
		if (keys_iswanted(ks, &tp->top_rows[i])) {
			ks->ksc_selected = i;
			return;
		}
}

static void
keys_move(struct keys_screen *ks, int64_t by)
{
	int64_t to = (int64_t)ks->ksc_selected + by;
	int64_t last = (int64_t)ks->ksc_top->top_n - 1;

	ks->ksc_selected = to < 0 || last < 0 ? 0 : to > last ? last : to;
	ks->ksc_isshown = 1;
	keys_want(ks);
}

/* Views */

static void
keys_begin(struct keys_screen *ks)
{
	struct top_run *tp = ks->ksc_top;

	top_open(tp);
	ks->ksc_first = ks->ksc_selected = 0;
	ks->ksc_isshown = 0;
	tp->top_isfrozen = 0;
	ks->ksc_due = clock_monotonic() +
	    (tp->top_nsecs < KEYS_SOON ? tp->top_nsecs : KEYS_SOON);
}

static void
keys_view(struct keys_screen *ks, const struct top_view *v)
{
	struct top_run *tp = ks->ksc_top;
	struct top_scope *sc = top_scope(tp);

	if (v->tov_isofpid && !top_isofpid(tp)) {
		ks->ksc_message =
		    "stacks are of a process: choose one, Enter, 8";
		return;
	}
	top_close(tp);
	sc->tsc_view = v;
	sc->tsc_sort = v->tov_sort;
	sc->tsc_filter.tof_call[0] = '\0';
	keys_begin(ks);
}

static void
keys_enter(struct keys_screen *ks)
{
	struct top_run *tp = ks->ksc_top;
	struct top_scope sc = *top_scope(tp);
	const struct top_row *r = &tp->top_rows[ks->ksc_selected];

	if (ks->ksc_selected >= tp->top_n)
		return;
	if (tp->top_depth + 1 == TOP_NSCOPES ||
	    sc.tsc_view->tov_enter == NULL || !sc.tsc_view->tov_enter(r, &sc)) {
		ks->ksc_message = "there is nothing below this row";
		return;
	}
	sc.tsc_sort = sc.tsc_view->tov_sort;
	snprintf(sc.tsc_title, sizeof(sc.tsc_title), "%.40s", r->tow_name);
	if (sc.tsc_filter.tof_npids == 1)
		snprintf(sc.tsc_title, sizeof(sc.tsc_title), "%.40s (%u)",
		    r->tow_name, sc.tsc_filter.tof_pids[0]);
	if (r->tow_host != 0)
		sc.tsc_host = r->tow_host;
	top_close(tp);
	tp->top_filter[0] = '\0';
	tp->top_scopes[++tp->top_depth] = sc;
	keys_begin(ks);
}

static void
keys_back(struct keys_screen *ks)
{
	struct top_run *tp = ks->ksc_top;

	if (ks->ksc_ishelp)
		ks->ksc_ishelp = 0;
	else if (tp->top_filter[0] != '\0') {
		tp->top_filter[0] = '\0';
		ks->ksc_due = 0;
	} else if (tp->top_depth > 0) {
		top_close(tp);
		tp->top_depth--;
		keys_begin(ks);
	}
}

/* Keys */

static void
keys_up(struct keys_screen *ks)
{
	keys_move(ks, -1);
}

static void
keys_down(struct keys_screen *ks)
{
	keys_move(ks, 1);
}

static void
keys_pageup(struct keys_screen *ks)
{
	keys_move(ks, -(int64_t)draw_nrows(ks->ksc_top));
}

static void
keys_pagedown(struct keys_screen *ks)
{
	keys_move(ks, draw_nrows(ks->ksc_top));
}

static void
keys_home(struct keys_screen *ks)
{
	keys_move(ks, -(int64_t)ks->ksc_top->top_n);
}

static void
keys_end(struct keys_screen *ks)
{
	keys_move(ks, ks->ksc_top->top_n);
}

static void
keys_sort(struct keys_screen *ks, int by)
{
	struct top_scope *sc = top_scope(ks->ksc_top);
	const struct top_column *c = sc->tsc_view->tov_columns;
	unsigned int n = 0;

	while (n < TOP_NCOLUMNS && c[n].toc_kind != TOP_NONE)
		n++;
	sc->tsc_sort = (sc->tsc_sort + n + by) % n;
	top_sort(ks->ksc_top);
	keys_find(ks);
}

static void
keys_left(struct keys_screen *ks)
{
	keys_sort(ks, -1);
}

static void
keys_right(struct keys_screen *ks)
{
	keys_sort(ks, 1);
}

static void
keys_reverse(struct keys_screen *ks)
{
	ks->ksc_top->top_isreverse = !ks->ksc_top->top_isreverse;
	top_sort(ks->ksc_top);
	keys_find(ks);
}

static void
keys_freeze(struct keys_screen *ks)
{
	ks->ksc_top->top_isfrozen = !ks->ksc_top->top_isfrozen;
	if (!ks->ksc_top->top_isfrozen)
		ks->ksc_due = 0;
}

static void
keys_filter(struct keys_screen *ks)
{
	ks->ksc_isediting = 1;
}

static void
keys_help(struct keys_screen *ks)
{
	ks->ksc_ishelp = !ks->ksc_ishelp;
}

static void
keys_quit(struct keys_screen *ks)
{
	ks->ksc_isquit = 1;
}

/* All keys except the views' digits; the last row has no function. */
static const struct keys_row keys_table[] = {
	{ SCREEN_UP, 'k', keys_up, "Up Down j k", "move the cursor" },
	{ SCREEN_DOWN, 'j', keys_down, NULL, NULL },
	{ SCREEN_PAGEUP, 0, keys_pageup, NULL, NULL },
	{ SCREEN_PAGEDOWN, 0, keys_pagedown, NULL, NULL },
	{ SCREEN_HOME, 'g', keys_home, NULL, NULL },
	{ SCREEN_END, 'G', keys_end, NULL, NULL },
	{ SCREEN_ENTER, 0, keys_enter, "Enter", "show what is below the row" },
	{ SCREEN_ESCAPE, SCREEN_BACKSPACE, keys_back, "Esc", "go back" },
	{ '<', SCREEN_LEFT, keys_left, "< >", "sort by another column" },
	{ '>', SCREEN_RIGHT, keys_right, NULL, NULL },
	{ 'r', 0, keys_reverse, "r", "reverse the order" },
	{ '/', 0, keys_filter, "/", "show names with a text, or a PID" },
	{ ' ', 'f', keys_freeze, "Space f", "freeze" },
	{ 'h', '?', keys_help, "h ?", "this help" },
	{ 'q', 0, keys_quit, "q", "quit" },
	{ 0 },
};

/* Drawing */

/* Keeps the cursor on the screen. */
static void
draw_scroll(struct keys_screen *ks)
{
	size_t n = draw_nrows(ks->ksc_top), all = ks->ksc_top->top_n;

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
	size_t n = draw_nrows(tp);
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

static void
draw_screen(struct keys_screen *ks)
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

/* Keys */

static const struct top_view *
keys_findview(int key)
{
	const struct top_view *const *v;

	for (v = top_views; *v != NULL; v++)
		if ((*v)->tov_key == key)
			return *v;
	return NULL;
}

/* A character of the filter. */
static void
keys_edit(struct keys_screen *ks, int key)
{
	char *text = ks->ksc_top->top_filter;
	size_t len = strlen(text);

	if (key == SCREEN_ENTER || key == SCREEN_ESCAPE) {
		ks->ksc_isediting = 0;
		if (key == SCREEN_ESCAPE)
			*text = '\0';
	} else if (key == SCREEN_BACKSPACE)
		text[len > 0 ? len - 1 : 0] = '\0';
	else if (key >= ' ' && key < 0x100 && len + 1 < TOP_TITLE) {
		text[len] = key;
		text[len + 1] = '\0';
	}
	ks->ksc_due = 0;
}

static void
keys_press(struct keys_screen *ks, int key)
{
	const struct keys_row *k;
	const struct top_view *v;

	if (key == SCREEN_RESIZE)
		return;
	ks->ksc_message = NULL;
	if (ks->ksc_isediting) {
		keys_edit(ks, key);
		return;
	}
	if ((v = keys_findview(key)) != NULL) {
		ks->ksc_ishelp = 0;
		keys_view(ks, v);
		return;
	}
	for (k = keys_table; k->kro_func != NULL; k++)
		if (key == k->kro_key || (key == k->kro_other && key != 0)) {
			k->kro_func(ks);
			return;
		}
	ks->ksc_message = "h prints the keys";
}

static void
keys_poll(struct keys_screen *ks, struct pollfd *pfd, int64_t nsecs)
{
	if (ks->ksc_top->top_hosts != NULL)
		top_hosts_poll(ks->ksc_top, pfd, nsecs);
	else
		sigs_poll(pfd, 1, nsecs);
}

/* The first rows of a machine are shown at once. */
static int
keys_hasnews(const struct keys_screen *ks)
{
	return ks->ksc_top->top_hosts != NULL && top_hosts_hasnews(ks->ksc_top);
}

/* Waits for a key or the next reading; returns whether a reading is due. */
static int
keys_wait(struct keys_screen *ks)
{
	struct pollfd pfd = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now = clock_monotonic();
	int key, isfrozen = ks->ksc_top->top_isfrozen;

	if (now < ks->ksc_due || isfrozen) {
		keys_poll(ks, &pfd,
		    isfrozen ? -1 : (int64_t)(ks->ksc_due - now));
		/* the terminal was closed */
		if (pfd.revents & (POLLHUP | POLLERR | POLLNVAL))
			ks->ksc_isquit = 1;
	}
	while (!ks->ksc_isquit && (key = top_screen_key()) != SCREEN_NOKEY)
		keys_press(ks, key);
	return !ks->ksc_isquit && !ks->ksc_top->top_isfrozen &&
	    ((uint64_t)clock_monotonic() >= ks->ksc_due || keys_hasnews(ks));
}

void
top_interact(struct top_run *tp, uint64_t n)
{
	struct keys_screen ks = { .ksc_top = tp };
	uint64_t done = 0;
	int signo, byprocess, counts;

	keys_begin(&ks);
	top_screen_open();
	sigs_init(1);
	draw_screen(&ks);
	while (!ks.ksc_isquit && sigs_count(&signo, &byprocess) == 0) {
		if (keys_wait(&ks)) {
			counts = tp->top_hosts == NULL ||
			    top_hosts_arecomplete(tp);
			top_read(tp);
			keys_find(&ks);
			ks.ksc_due = clock_monotonic() + tp->top_nsecs;
			ks.ksc_isquit |= counts && ++done == n;
		}
		draw_screen(&ks);
	}
	/* first: the end of a private dtd takes time */
	top_screen_close();
}
