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
#define WRAP_LESS   2  /* the same on a narrow terminal */
#define WRAP_NARROW 40 /* narrower terminals are narrow */
#define WRAP_LEAST  10 /* narrower terminals break lines themselves */

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

/* Continuation bytes of UTF-8, and escape sequences, have no column. */
static size_t
wrap_columns(const char *text, size_t len)
{
	size_t at = 0, n = 0, skip;

	while (at < len) {
		if ((skip = wrap_escape(text + at, text + len)) != 0) {
			at += skip;
			continue;
		}
		n += (text[at++] & 0xc0) != 0x80;
	}
	return n;
}

/*
 * Returns the bytes of the text that fit into a number of columns, up to a blank;
 * all if the rest fits, or has no blank.
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

/* Returns the blanks at the begin of a text. */
static size_t
wrap_blanks(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] == ' ')
		n++;
	return n;
}

/* Appends a part of a line, without blanks at its end. */
static void
wrap_put(struct buf *b, const char *text, size_t len)
{
	while (len > 0 && text[len - 1] == ' ')
		len--;
	buf_mem(b, text, len);
}

/*
 * Breaks one line.  It keeps its own indent, unless that takes the columns of its
 * words; lines with the usual indent have the same on a narrow terminal.
 */
static void
wrap_line(struct buf *b, const char *text, size_t len, unsigned int width)
{
	const int isnarrow = width < WRAP_NARROW;
	const unsigned int indent = isnarrow ? WRAP_LESS : WRAP_INDENT;
	size_t first = wrap_blanks(text, len), n, cut = 0;

	if (first > (isnarrow ? indent : width / 2) &&
	    (first == WRAP_INDENT || wrap_columns(text, len) > width))
		cut = first - indent;
	text += cut;
	len -= cut;
	first -= cut;
	n = first + wrap_fit(text + first, len - first, width - first);
	if (n == len) {
		buf_mem(b, text, len);
		return;
	}
	wrap_put(b, text, n);
	for (;;) {
		n += wrap_blanks(text + n, len - n);
		text += n;
		len -= n;
		if (len == 0)
			break;
		buf_printf(b, "\n%*s", (int)indent, "");
		n = wrap_fit(text, len, width - indent);
		wrap_put(b, text, n);
	}
}

void
text_wrap(struct buf *b, size_t from)
{
	struct buf copy;
	struct winsize ws;
	const char *p, *end, *nl;

	if (pager_size(b->b_fd, &ws) == -1 || ws.ws_col < WRAP_LEAST ||
	    (ws.ws_col >= WRAP_NARROW && b->b_len - from <= ws.ws_col))
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
