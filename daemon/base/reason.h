/* SPDX-License-Identifier: ISC */
/* Why a request fails, as text for the client. */
#ifndef DAEMON_BASE_REASON_H
#define DAEMON_BASE_REASON_H

struct reason {
	char rsn_text[200]; /* "": the errno says enough */
};

/*
 * Sets the text.  NULL is fine, and formats nothing: the caller wants the errno
 * only.  The second returns its error.
 */
void reason_set(struct reason *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int reason_fail(struct reason *, int error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* DAEMON_BASE_REASON_H */
