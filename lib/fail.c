/* SPDX-License-Identifier: ISC */
/*
 * dt_error(): a message for each failure.  It is in the handle, under a lock,
 * and is copied to a thread-local buffer, so that no thread reads it while
 * another one writes.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/handle.h"

static _Thread_local char error_copy[DT_ERRLEN]; /* dt_error(dt) */
static _Thread_local char error_open[DT_ERRLEN]; /* dt_error(NULL) */

static const char error_none[] = "no error";

void
dt_errtext_init(struct dt_errtext *et)
{
	pthread_mutex_init(&et->et_lock, NULL);
	et->et_errno = 0;
	et->et_text[0] = '\0';
}

void
dt_errtext_free(struct dt_errtext *et)
{
	pthread_mutex_destroy(&et->et_lock);
}

int
dt_fail(struct dt *dt, int error, const char *fmt, ...)
{
	struct dt_errtext *et = &dt->h_err;
	va_list ap;

	pthread_mutex_lock(&et->et_lock);
	et->et_errno = error;
	et->et_text[0] = '\0';
	if (fmt != NULL) {
		va_start(ap, fmt);
		vsnprintf(et->et_text, sizeof(et->et_text), fmt, ap);
		va_end(ap);
	}
	pthread_mutex_unlock(&et->et_lock);
	errno = error;
	return -1;
}

int
dt_fail_peer(struct dt *dt, int error, const void *text, size_t len)
{
	char line[DT_ERRLEN];
	size_t i;

	if (len >= sizeof(line))
		len = sizeof(line) - 1;
	memcpy(line, text, len);
	for (i = 0; i < len; i++) {
		/* the text may go to a terminal, and the peer is not trusted */
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = '?';
	}
	line[len] = '\0';
	return dt_fail(dt, error, len == 0 ? NULL : "%s", line);
}

static void
error_get(const struct dt *dt, char *buf)
{
	/* the library allocated the handle, so it is not const */
	struct dt_errtext *et = (struct dt_errtext *)&dt->h_err;
	const char *text;

	pthread_mutex_lock(&et->et_lock);
	if (et->et_errno == 0)
		text = error_none;
	else if (et->et_text[0] == '\0')
		text = strerror(et->et_errno);
	else
		text = et->et_text;
	snprintf(buf, DT_ERRLEN, "%s", text);
	pthread_mutex_unlock(&et->et_lock);
}

void
dt_fail_open(const struct dt *dt)
{
	error_get(dt, error_open);
}

void
dt_fail_early(int error, const char *text)
{
	snprintf(error_open, sizeof(error_open), "%s", text);
	errno = error;
}

const char *
dt_error(const struct dt *dt)
{
	int saved = errno;

	if (dt == NULL)
		return error_open[0] == '\0' ? error_none : error_open;
	error_get(dt, error_copy);
	errno = saved;
	return error_copy;
}
