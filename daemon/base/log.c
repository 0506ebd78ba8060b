/* SPDX-License-Identifier: ISC */
/*
 * Writes each message with one write(2), so that messages of several threads do
 * not mix, or passes it to a sink.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "common/visible.h"
#include "daemon/base/log.h"

#define LOG_TEXT  496		 /* bytes per message */
#define LOG_SHOWN (2 * LOG_TEXT) /* the same, escaped */

static int log_level = LOG_NOTICE;
static int log_prefix;	      /* print "<5>" first, for the journal */
static log_sink_fn *log_sink; /* [I] receives messages instead, or NULL */

void
log_init(int verbose)
{
	log_level = LOG_NOTICE + (verbose > 2 ? 2 : verbose);
	log_prefix = !isatty(STDERR_FILENO) && getenv("JOURNAL_STREAM") != NULL;
}

void
log_sink_set(log_sink_fn *fn)
{
	log_sink = fn;
}

/* Writes one line to stderr. */
static void
log_write(int level, const char *text)
{
	char line[LOG_SHOWN + 16];
	size_t n = 0;
	ssize_t r;

	if (log_prefix)
		n += snprintf(line, sizeof(line), "<%d>", level);
	n += snprintf(line + n, sizeof(line) - n, "dtd: %s\n", text);
	r = write(STDERR_FILENO, line, n);
	(void)r; /* a failure cannot be reported */
}

/* Escapes a message, which may contain foreign names, and sends it. */
static void
log_put(int level, const char *id, const struct log_field *fields, size_t n,
    const char *text)
{
	char shown[LOG_SHOWN];

	visible_copy(shown, sizeof(shown), text);
	if (log_sink != NULL && log_sink(level, id, fields, n, shown) == 0)
		return;
	if (level <= log_level)
		log_write(level, shown);
}

static void
log_line(int level, int error, const char *fmt, va_list ap)
{
	char text[LOG_TEXT];
	int n;

	if (level > log_level)
		return;
	n = vsnprintf(text, sizeof(text), fmt, ap);
	if (error != 0 && n >= 0 && (size_t)n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, ": %s", strerror(error));
	log_put(level, NULL, NULL, 0, text);
}

void
log_event(int level, const char *id, const struct log_field *fields, size_t n,
    const char *fmt, ...)
{
	char text[LOG_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_put(level, id, fields, n, text);
}

void
log_debug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_DEBUG, 0, fmt, ap);
	va_end(ap);
}

void
log_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_INFO, 0, fmt, ap);
	va_end(ap);
}

void
log_notice(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_NOTICE, 0, fmt, ap);
	va_end(ap);
}

void
log_warn(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_WARNING, error, fmt, ap);
	va_end(ap);
}

void
log_warnx(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_WARNING, 0, fmt, ap);
	va_end(ap);
}

void
fatal(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_CRIT, error, fmt, ap);
	va_end(ap);
	exit(1);
}

void
fatalx(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_CRIT, 0, fmt, ap);
	va_end(ap);
	exit(1);
}
