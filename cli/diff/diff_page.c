/* SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/diff/diff_page.h"
#include "cli/out/page.h"
#include "cli/out/page_tree.h"

#define PAGE_ROWS 200 /* functions in the table, until the script fills it */

/* The first name of a folded stack is the process's. */
static enum page_kind
diff_kind(const char *name, size_t len, int isfirst)
{
	static const char note[] = "[incomplete";

	if (isfirst)
		return PAGE_PROCESS;
	return len >= sizeof(note) - 1 &&
		memcmp(name, note, sizeof(note) - 1) == 0
	    ? PAGE_NOTE
	    : PAGE_FUNCTION;
}

static void
diff_page_stack(struct page_tree *pt, const struct hash_entry *e)
{
	const struct diff_row *row = e->he_ptr;
	const char *first = (const char *)e->he_key, *p, *semi;
	const char *end = first + e->he_keylen;
	struct page_frame pf = { 0 };
	uint32_t at = 0;

	for (p = first; p <= end; p = semi + 1) {
		if ((semi = memchr(p, ';', end - p)) == NULL)
			semi = end;
		pf.pgf_name = p;
		pf.pgf_len = semi - p;
		pf.pgf_kind = diff_kind(p, semi - p, p == first);
		at = page_tree_child(pt, at, &pf);
	}
	page_tree_weigh(pt, at, 0, row->dfr_self[DIFF_AFTER]);
	page_tree_weigh(pt, at, 1, row->dfr_self[DIFF_BEFORE]);
}

static const struct page_unit diff_samples = { .pgu_name = "samples",
	.pgu_head = "samples",
	.pgu_what = "samples" };
static const struct page_unit diff_waits = { .pgu_name = "off-CPU time",
	.pgu_head = "off-CPU time",
	.pgu_what = "waits",
	.pgu_isvalue = 1,
	.pgu_istime = 1 };

static void
diff_page_data(struct buf *b, const struct diff *dif, int iswaits)
{
	struct hash_entry **stacks = hash_sorted(&dif->dif_stacks);
	struct page_tree pt;
	struct buf json;
	size_t i;

	buf_init(&json, -1);
	page_tree_init(&pt);
	for (i = 0; i < dif->dif_stacks.ha_n; i++)
		diff_page_stack(&pt, stacks[i]);
	page_tree_sort(&pt);
	buf_c(&json, '{');
	page_tree_json(&json, &pt, iswaits ? &diff_waits : &diff_samples, 1, 1);
	buf_c(&json, '}');
	page_data(b, "data", &json);
	page_tree_free(&pt);
	free(stacks);
	buf_free(&json);
}

static void
diff_page_row(struct buf *b, const struct diff *dif, const struct hash_entry *e)
{
	const struct diff_row *row = e->he_ptr;
	double was = diff_share(dif, DIFF_BEFORE, row->dfr_self[DIFF_BEFORE]);
	double is = diff_share(dif, DIFF_AFTER, row->dfr_self[DIFF_AFTER]);

	buf_printf(b,
	    "<tr><td class=\"n\">%.2f</td><td class=\"n\">%.2f</td>"
	    "<td class=\"n\">%+.2f</td><td class=\"c\">",
	    100 * was, 100 * is, 100 * (is - was));
	esc_xml(b, (const char *)e->he_key, e->he_keylen);
	buf_str(b, "</td></tr>\n");
}

void
diff_page(struct buf *b, const struct diff *dif, const char *before,
    const char *after, struct hash_entry *const *funcs, size_t n, int iswaits)
{
	struct buf title, summary;
	size_t i;

	buf_init(&title, -1);
	buf_init(&summary, -1);
	buf_printf(&title, "dt diff: %s, %s", before, after);
	buf_str(&summary, "The graph is of ");
	buf_str(&summary, after);
	buf_str(&summary, "; functions that only ");
	buf_str(&summary, before);
	buf_str(&summary, " has are in the table.");
	page_begin(b, &title, &summary);
	diff_page_data(b, dif, iswaits);
	buf_str(b,
	    "<table id=\"functions\">\n<caption>Functions</caption>\n"
	    "<thead><tr><th class=\"n\">before %</th>"
	    "<th class=\"n\">after %</th><th class=\"n\">change</th>"
	    "<th>function</th></tr></thead>\n<tbody>\n");
	for (i = 0; i < n && i < PAGE_ROWS; i++)
		diff_page_row(b, dif, funcs[i]);
	buf_str(b, "</tbody>\n</table>\n");
	page_end(b);
	buf_free(&title);
	buf_free(&summary);
}
