/* SPDX-License-Identifier: ISC */
/*
 * Messages of dtd, see log.h.  A message is one write(2), so that lines of
 * several threads do not mix.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "log.h"

static int log_level = LOG_NOTICE;
static int log_prefix; /* "<5>" in front, for the journal */

void
log_init(int verbose)
{
	log_level = LOG_NOTICE + (verbose > 2 ? 2 : verbose);
	log_prefix = !isatty(STDERR_FILENO) && getenv("JOURNAL_STREAM") != NULL;
}

static void
log_line(int level, int error, const char *fmt, va_list ap)
{
	char line[512];
	size_t n = 0;
	ssize_t r;

	if (level > log_level)
		return;
	if (log_prefix)
		n += snprintf(line, sizeof(line), "<%d>", level);
	n += snprintf(line + n, sizeof(line) - n, "dtd: ");
	n += vsnprintf(line + n, sizeof(line) - n, fmt, ap);
	if (n < sizeof(line) && error != 0)
		n += snprintf(line + n, sizeof(line) - n, ": %s",
		    strerror(error));
	if (n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	r = write(STDERR_FILENO, line, n);
	(void)r; /* nobody is left to be told */
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
