/* SPDX-License-Identifier: ISC */
/*
 * Messages of dtd, see log.h.  A message is one write(2), so that lines of
 * several threads do not mix, or goes to a sink as a whole.
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

#define LOG_TEXT  496		 /* bytes of a message */
#define LOG_SHOWN (2 * LOG_TEXT) /* the same with escapes */

static int log_level = LOG_NOTICE;
static int log_prefix;	      /* "<5>" in front, for the journal */
static log_sink_fn *log_sink; /* [I] where they go instead, or NULL */

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

/* One line to stderr. */
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
	(void)r; /* nobody is left to be told */
}

/* Escapes a message, since it may contain names from others, and sends it. */
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
