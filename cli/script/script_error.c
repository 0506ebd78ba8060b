/* SPDX-License-Identifier: ISC */
/* Keeps and prints the first mistake in a script. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/script/script_error.h"

#define ERROR_WIDTH 120 /* bytes of the line that are printed */

int
script_fail(struct script_error *se, size_t begin, size_t end, const char *fmt,
    ...)
{
	va_list ap;

	if (se->ser_is)
		return -1;
	se->ser_is = 1;
	se->ser_begin = begin;
	se->ser_end = end > begin ? end : begin + 1;
	va_start(ap, fmt);
	vsnprintf(se->ser_why, sizeof(se->ser_why), fmt, ap);
	va_end(ap);
	return -1;
}

void
script_place(const char *text, size_t at, unsigned int *line,
    unsigned int *column)
{
	size_t i;

	*line = *column = 1;
	for (i = 0; i < at && text[i] != '\0'; i++) {
		++*column;
		if (text[i] == '\n') {
			++*line;
			*column = 1;
		}
	}
}

/* Prints the line with the mistake, cut around it, and marks the mistake. */
static void
error_line(struct buf *b, const struct script_error *se, const char *text)
{
	size_t from = se->ser_begin, to, i, len = strlen(text);

	if (from > len)
		from = len;
	while (from > 0 && text[from - 1] != '\n' &&
	    se->ser_begin - from < ERROR_WIDTH / 2)
		from--;
	to = from + strcspn(text + from, "\n");
	if (to > from + ERROR_WIDTH)
		to = from + ERROR_WIDTH;
	for (i = from; i < to; i++)
		buf_c(b,
		    (unsigned char)text[i] < ' ' || text[i] == 127 ? ' '
								   : text[i]);
	buf_c(b, '\n');
	for (i = from; i < se->ser_begin && i < to; i++)
		if ((text[i] & 0xc0) != 0x80) /* a part of UTF-8 */
			buf_c(b, ' ');
	buf_c(b, '^');
	for (i = se->ser_begin + 1; i < se->ser_end && i < to; i++)
		if ((text[i] & 0xc0) != 0x80)
			buf_c(b, '~');
	buf_c(b, '\n');
}

void
script_error_text(struct buf *b, const struct script_error *se,
    const char *name, const char *text)
{
	unsigned int line, column;

	script_place(text, se->ser_begin, &line, &column);
	esc_str(b, name);
	buf_printf(b, ":%u:%u: ", line, column);
	esc_str(b, se->ser_why);
	buf_c(b, '\n');
	error_line(b, se, text);
}
