/* SPDX-License-Identifier: ISC */
/* Prints a page with the flame graph and a table of the functions below it. */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/out/flame.h"
#include "cli/out/page.h"
#include "cli/out/page_tree.h"
#include "cli/out/weight.h"

#define HTML_TOP 200 /* functions in the table */

static const char html_columns[] =
    "<thead><tr><th class=\"n\">self %%</th><th class=\"n\">%s</th>"
    "<th class=\"n\">total %%</th><th class=\"n\">%s</th>"
    "<th>function</th><th>module</th></tr></thead>\n<tbody>\n";

static void
html_text(struct buf *b, const char *s)
{
	esc_xml(b, s, strlen(s));
}

static void
html_share(struct buf *b, uint64_t weight, const struct out_profile *op)
{
	buf_printf(b, "<td class=\"n\">%.2f</td><td class=\"n\">",
	    op->opr_total > 0 ? 100.0 * weight / op->opr_total : 0);
	if (weight_isvalue(op))
		weight_long(b, op, weight);
	else
		buf_grouped(b, weight);
	buf_str(b, "</td>");
}

static void
html_func(struct buf *b, const struct out_func *of,
    const struct out_profile *op)
{
	const struct module *mo = of->of_frame->fr_module;

	buf_str(b, "<tr>");
	html_share(b, of->of_self, op);
	html_share(b, of->of_total, op);
	buf_str(b, "<td class=\"c\">");
	html_text(b, of->of_frame->fr_name);
	buf_str(b, "</td><td class=\"c\">");
	html_text(b, mo != NULL ? mo->mo_path : "");
	buf_str(b, "</td></tr>\n");
}

static void
html_head(struct buf *b, const struct out *out, const struct out_profile *op)
{
	struct buf title, summary, tree, hits;

	buf_init(&title, -1);
	buf_init(&summary, -1);
	buf_init(&tree, -1);
	buf_init(&hits, -1);
	flame_title(&title, out, op);
	flame_summary(&summary, op);
	page_begin(b, &title, &summary);
	page_profile(&tree, &hits, op);
	page_data(b, "data", &tree);
	if (hits.b_len > 0)
		page_data(b, "hits", &hits);
	buf_free(&title);
	buf_free(&summary);
	buf_free(&tree);
	buf_free(&hits);
}

/* The page's script replaces the rows. */
static void
html_table(struct buf *b, const struct out_profile *op)
{
	const char *head = weight_isvalue(op) ? weight_type(op)
					      : weight_hits_type(op);
	size_t i, n = op->opr_nfuncs < HTML_TOP ? op->opr_nfuncs : HTML_TOP;

	buf_str(b, "<table id=\"functions\">\n<caption>Functions");
	if (n < op->opr_nfuncs)
		buf_printf(b, ", the first %zu of %zu", n, op->opr_nfuncs);
	buf_str(b, "</caption>\n");
	buf_printf(b, html_columns, head, head);
	for (i = 0; i < n; i++) {
		html_func(b, &op->opr_funcs[i], op);
		buf_line(b);
	}
	buf_str(b, "</tbody>\n</table>\n");
}

/* Ends the page with the lines that dt prints after a run. */
static void
html_ledger(struct buf *b, const struct out_profile *op)
{
	struct buf text;

	buf_init(&text, -1);
	ledger_text(&text, op->opr_ledger, op->opr_run);
	buf_printf(b,
	    "<h2>The recording</h2>\n<pre id=\"ledger\" "
	    "data-lost=\"%llu\">",
	    (unsigned long long)ledger_lost(op->opr_ledger));
	esc_xml(b, text.b_data, text.b_len);
	buf_str(b, "</pre>\n");
	buf_free(&text);
}

static void
html_profile(struct out *out, const struct out_profile *op)
{
	struct buf *b = &out->out_buf;

	html_head(b, out, op);
	html_table(b, op);
	if (op->opr_ledger != NULL)
		html_ledger(b, op);
	page_end(b);
}

const struct out_format out_html = {
	.f_name = "html",
	.f_opens = "a browser",
	.f_time = OUT_WANTSTIME,
	.f_profile = html_profile,
};
