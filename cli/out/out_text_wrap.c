/* SPDX-License-Identifier: ISC */
/*
 * Breaks lines for a terminal between words, with an indent, where the terminal
 * would break them within words.
 */
#include <sys/ioctl.h>

#include <string.h>
#include <unistd.h>

#include "cli/base/pager.h"
#include "cli/out/out_text.h"

#define WRAP_INDENT 8  /* of continued lines */
#define WRAP_LEAST  40 /* narrower terminals break lines themselves */

/* The bytes of an escape sequence for colours at p, or 0. */
static size_t
wrap_escape(const char *p, const char *end)
{
	const char *q = p;

	if (end - p < 2 || p[0] != '\033' || p[1] != '[')
		return 0;
	while (q < end && *q != 'm')
		q++;
	return q < end ? q + 1 - p : 0;
}

/*
 * Returns the bytes of the text that fit into a number of columns, up to a blank;
 * all if the rest fits, or has no blank.  Continuation bytes of UTF-8 have no
 * column.
 */
static size_t
wrap_fit(const char *text, size_t len, unsigned int width)
{
	size_t at = 0, blank = 0, skip;
	unsigned int column = 0;

	while (at < len) {
		if ((skip = wrap_escape(text + at, text + len)) != 0) {
			at += skip;
			continue;
		}
		if (text[at] == ' ' && (column <= width || blank == 0))
			blank = at;
		if ((text[at] & 0xc0) != 0x80)
			column++;
		if (column > width && blank != 0)
			return blank;
		at++;
	}
	return len;
}

/* Breaks one line. */
static void
wrap_line(struct buf *b, const char *text, size_t len, unsigned int width)
{
	/* lines are broken after their indent only */
	size_t first = strspn(text, " "), n;

	n = first + wrap_fit(text + first, len - first, width - first);
	buf_mem(b, text, n);
	while (n < len) {
		text += n + 1; /* the blank */
		len -= n + 1;
		buf_printf(b, "\n%*s", WRAP_INDENT, "");
		n = wrap_fit(text, len, width - WRAP_INDENT);
		buf_mem(b, text, n);
	}
}

void
text_wrap(struct buf *b, size_t from)
{
	struct buf copy;
	struct winsize ws;
	const char *p, *end, *nl;

	if (pager_size(b->b_fd, &ws) == -1 || ws.ws_col < WRAP_LEAST ||
	    b->b_len - from <= ws.ws_col)
		return;
	buf_init(&copy, -1);
	buf_mem(&copy, b->b_data + from, b->b_len - from);
	b->b_len = from;
	end = copy.b_data + copy.b_len;
	for (p = copy.b_data; p < end; p = nl + 1) {
		if ((nl = memchr(p, '\n', end - p)) == NULL)
			nl = end - 1; /* unreachable: lines are complete */
		wrap_line(b, p, nl - p, ws.ws_col);
		buf_c(b, '\n');
	}
	buf_free(&copy);
}
