/* SPDX-License-Identifier: ISC */
#include "cli/base/esc.h"
#include "cli/out/page.h"
#include "page_strings.h"

static const char page_policy[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\""
    "default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'\">\n";

static void
page_line(struct buf *b, const char *begin, const struct buf *line,
    const char *end)
{
	buf_str(b, begin);
	esc_xml(b, line->b_data, line->b_len);
	buf_printf(b, "%s\n", end);
}

void
page_begin(struct buf *b, const struct buf *title, const struct buf *summary)
{
	buf_str(b, page_policy);
	page_line(b, "<title>", title, "</title>");
	buf_printf(b, "<style>\n%s</style>\n<script>\n%s</script>\n",
	    page_style, page_script);
	buf_str(b, "</head>\n<body>\n<main>\n");
	page_line(b, "<h1>", title, "</h1>");
	page_line(b, "<p id=\"summary\">", summary, "</p>");
	buf_str(b, page_controls);
}

void
page_data(struct buf *b, const char *id, const struct buf *json)
{
	size_t i;

	buf_printf(b, "<script type=\"application/json\" id=\"%s\">", id);
	for (i = 0; i < json->b_len; i++)
		if (json->b_data[i] == '<')
			buf_str(b, "\\u003c");
		else
			buf_c(b, json->b_data[i]);
	buf_str(b, "</script>\n");
}

void
page_end(struct buf *b)
{
	buf_str(b, "</main>\n</body>\n</html>\n");
}
