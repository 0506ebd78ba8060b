/* SPDX-License-Identifier: ISC */
/* The first mistake in a script, with its position. */
#ifndef CLI_SCRIPT_SCRIPT_ERROR_H
#define CLI_SCRIPT_SCRIPT_ERROR_H

#include <stddef.h>

#include "cli/base/buf.h"

struct script_error {
	int ser_is;
	size_t ser_begin, ser_end; /* offsets in the text */
	char ser_why[512];
};

/* Keeps the first error.  Returns -1. */
int script_fail(struct script_error *, size_t begin, size_t end,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Prints "NAME:LINE:COLUMN: reason", the line, and a caret below it. */
void script_error_text(struct buf *, const struct script_error *,
    const char *name, const char *text);
/* Prints the line of an offset, and its column, both from 1. */
void script_place(const char *text, size_t at, unsigned int *line,
    unsigned int *column);

#endif /* CLI_SCRIPT_SCRIPT_ERROR_H */
