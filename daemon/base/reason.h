/* SPDX-License-Identifier: ISC */
/* Why a request fails, as text for the client. */
#ifndef DAEMON_BASE_REASON_H
#define DAEMON_BASE_REASON_H

#include <stdarg.h>

struct reason {
	char rsn_text[200]; /* "": the errno suffices */
};

/*
 * Set the text.  NULL is fine: the caller needs the errno only.  reason_fail()
 * returns its error.
 */
void reason_set(struct reason *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void reason_vset(struct reason *, const char *fmt, va_list)
    __attribute__((format(printf, 2, 0)));
int reason_fail(struct reason *, int error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* DAEMON_BASE_REASON_H */
