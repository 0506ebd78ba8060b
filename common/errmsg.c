/* SPDX-License-Identifier: ISC */
/*
 * Replaces err(3) and its family.  The functions use no memory of the heap, since
 * children call them between fork(2) and execve(2).
 */
#include <sys/ioctl.h>

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/errmsg.h"
#include "common/visible.h"

#define TEXT_MAX    6144 /* bytes: the path of a file, and a sentence */
#define ESCAPED_MAX (2 * TEXT_MAX)

#define WRAP_INDENT 4  /* of continued lines */
#define WRAP_LEAST  40 /* narrower terminals break lines themselves */

static void
part_write(const char *text, size_t len)
{
	ssize_t n = write(STDERR_FILENO, text, len);

	(void)n; /* there is no other way to report it */
}

/*
 * Returns the length of a line's part that a terminal shows in a row, up to a
 * blank; the whole length if it fits, or has no blank there.
 */
static size_t
part_length(const char *text, size_t len, unsigned int width)
{
	size_t i, blank = 0;
	unsigned int column = 0;

	for (i = 0; i < len && column <= width; i++) {
		if (text[i] == ' ')
			blank = i;
		column += (text[i] & 0xc0) != 0x80; /* of UTF-8 */
	}
	return column <= width || blank == 0 ? len : blank;
}

/* A terminal would break a long line within words. */
static void
line_write(const char *text)
{
	char line[ESCAPED_MAX], *p = line;
	struct winsize ws;
	size_t len, n;
	int error = errno;

	visible_copy(line, sizeof(line) - 1, text);
	len = strlen(line);
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) == -1 ||
	    ws.ws_col < WRAP_LEAST)
		ws.ws_col = USHRT_MAX;
	while ((n = part_length(p, len,
		    ws.ws_col - (p == line ? 0 : WRAP_INDENT))) < len) {
		part_write(p, n);
		part_write("\n    ", 1 + WRAP_INDENT);
		p += n + 1; /* the blank */
		len -= n + 1;
	}
	p[len++] = '\n';
	part_write(p, len);
	errno = error;
}

/* error: an errno, 0 for none; fmt may be NULL. */
static void
message(int error, const char *fmt, va_list ap)
{
	char text[TEXT_MAX];
	int n;

	n = snprintf(text, sizeof(text), "%s: ", program_invocation_short_name);
	if (fmt != NULL && n >= 0 && (size_t)n < sizeof(text))
		n += vsnprintf(text + n, sizeof(text) - n, fmt, ap);
	if (error != 0 && n >= 0 && (size_t)n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, "%s%s",
		    fmt != NULL ? ": " : "", strerror(error));
	line_write(text);
}

void
errmsg(const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	line_write(text);
}

void
errmsg_option(char **argv)
{
	const char *last = argv[optind - 1];

	if (optopt == 0 || strncmp(last, "--", 2) == 0)
		warnx("%s: unknown option, or wrong use of its argument", last);
	else
		warnx("-%c: unknown option, or its argument is missing",
		    optopt);
}

/* getopt(3) would print what it refuses as it is. */
static void __attribute__((constructor)) getopt_quiet(void)
{
	opterr = 0;
}

void
vwarn(const char *fmt, va_list ap)
{
	int error = errno;

	message(error, fmt, ap);
	errno = error;
}

void
vwarnx(const char *fmt, va_list ap)
{
	int error = errno;

	message(0, fmt, ap);
	errno = error;
}

void
verr(int status, const char *fmt, va_list ap)
{
	vwarn(fmt, ap);
	exit(status);
}

void
verrx(int status, const char *fmt, va_list ap)
{
	vwarnx(fmt, ap);
	exit(status);
}

void
warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarn(fmt, ap);
	va_end(ap);
}

void
warnx(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarnx(fmt, ap);
	va_end(ap);
}

void
err(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	verr(status, fmt, ap);
}

void
errx(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	verrx(status, fmt, ap);
}
