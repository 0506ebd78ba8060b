/* SPDX-License-Identifier: ISC */
/* Formats errors of conditions with their position. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/cond/cond.h"

int
cond_fail(struct cond_error *er, unsigned int begin, unsigned int end,
    const char *fmt, ...)
{
	va_list ap;

	er->er_begin = begin;
	er->er_end = end;
	va_start(ap, fmt);
	vsnprintf(er->er_why, sizeof(er->er_why), fmt, ap);
	va_end(ap);
	return -1;
}

/*
 * Returns the columns that the text from begin to end takes on a terminal:
 * characters, not bytes.
 */
static unsigned int
error_columns(const char *text, unsigned int begin, unsigned int end)
{
	unsigned int n = 0;
	struct buf b;
	size_t i;

	buf_init(&b, -1);
	esc_text(&b, text + begin, end - begin);
	for (i = 0; i < b.b_len; i++)
		n += ((unsigned char)b.b_data[i] & 0xc0) != 0x80;
	buf_free(&b);
	return n;
}

void
cond_error_text(struct buf *b, const struct cond_error *er, const char *text)
{
	unsigned int i, n;

	esc_str(b, er->er_why);
	buf_str(b, "\n    ");
	esc_str(b, text);
	buf_str(b, "\n    ");
	n = error_columns(text, 0, er->er_begin);
	for (i = 0; i < n; i++)
		buf_c(b, ' ');
	n = error_columns(text, er->er_begin, er->er_end);
	for (i = 0; i < n || i == 0; i++)
		buf_c(b, '^');
	buf_c(b, '\n');
}
