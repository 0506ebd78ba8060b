/* SPDX-License-Identifier: ISC */
/* Formats the reasons of failures. */
#include <stdio.h>

#include "daemon/base/reason.h"

void
reason_vset(struct reason *rs, const char *fmt, va_list ap)
{
	if (rs != NULL)
		vsnprintf(rs->rsn_text, sizeof(rs->rsn_text), fmt, ap);
}

void
reason_set(struct reason *rs, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reason_vset(rs, fmt, ap);
	va_end(ap);
}

int
reason_fail(struct reason *rs, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reason_vset(rs, fmt, ap);
	va_end(ap);
	return error;
}
