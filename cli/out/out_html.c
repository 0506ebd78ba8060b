/* SPDX-License-Identifier: ISC */
/*
 * Prints a page with the flame graph and a table of the functions below it.  It
 * loads nothing: the page instructs the browser to refuse whatever a name might
 * try to load.
 */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/out/flame.h"
#include "cli/out/weight.h"

#define HTML_TOP 200 /* functions in the table */

static const char html_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\""
    "default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'\">\n<style>"
    "body{margin:8px;background:#fff;color:#111;font:14px sans-serif}"
    "table{border-collapse:collapse;margin-top:12px;max-width:100%}"
    "caption{text-align:left;font-weight:bold;padding:4px 0}"
    "th{text-align:left;border-bottom:1px solid #555;padding:2px 10px}"
    "td{padding:1px 10px;vertical-align:top;border-bottom:1px solid #e4e4e4}"
    ".n{text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}"
    ".c{font-family:\"DejaVu Sans Mono\",Menlo,Consolas,monospace;"
    "font-size:12px;overflow-wrap:anywhere}"
    "td.c:last-child{min-width:20em}"
    "</style>\n<title>";

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
html_profile(struct out *out, const struct out_profile *op)
{
	struct buf *b = &out->out_buf, title;
	const char *head = weight_isvalue(op) ? weight_type(op)
					      : weight_hits_type(op);
	size_t i, n = op->opr_nfuncs < HTML_TOP ? op->opr_nfuncs : HTML_TOP;

	buf_init(&title, -1);
	flame_title(&title, out, op);
	buf_c(&title, '\0');
	buf_str(b, html_head);
	html_text(b, title.b_data);
	buf_str(b, "</title>\n</head>\n<body>\n");
	buf_free(&title);
	buf_str(b, "<a href=\"#functions\">Functions</a>\n");
	flame_svg(b, out, op);
	buf_str(b, "<table id=\"functions\">\n<caption>Functions");
	if (n < op->opr_nfuncs)
		buf_printf(b, ", the first %zu of %zu", n, op->opr_nfuncs);
	buf_str(b, "</caption>\n");
	buf_printf(b, html_columns, head, head);
	for (i = 0; i < n; i++) {
		html_func(b, &op->opr_funcs[i], op);
		buf_line(b);
	}
	buf_str(b, "</tbody>\n</table>\n</body>\n</html>\n");
}

const struct out_format out_html = {
	.f_name = "html",
	.f_opens = "a browser",
	.f_profile = html_profile,
};
