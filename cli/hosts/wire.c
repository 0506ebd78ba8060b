/* SPDX-License-Identifier: ISC */
/* Splits lines into fields, and reads their numbers. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hosts/wire.h"

/* Removes the escapes of a field.  Returns 0, or -1. */
static int
wire_unescape(char *s)
{
	static const char escapes[] = "tn\\", chars[] = "\t\n\\";
	const char *found;
	char *to;

	for (to = s; *s != '\0'; s++) {
		if (*s != '\\') {
			*to++ = *s;
			continue;
		}
		if (*++s == '\0' || (found = strchr(escapes, *s)) == NULL)
			return -1;
		*to++ = chars[found - escapes];
	}
	*to = '\0';
	return 0;
}

int
wire_split(char *line, size_t len, char **fields, unsigned int max)
{
	unsigned int n = 0;
	char *p = line + 1, *end;

	if (len == 0 || memchr(line, '\0', len) != NULL)
		return -1;
	for (; *p != '\0'; p = end) {
		if (*p != '\t' || n == max)
			return -1;
		*p++ = '\0';
		end = strchrnul(p, '\t');
		fields[n++] = p;
	}
	for (max = n, n = 0; n < max; n++)
		if (wire_unescape(fields[n]) == -1)
			return -1;
	return n;
}

int
wire_u64(const char *s, uint64_t max, uint64_t *v)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -1;
	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno != 0 || *end != '\0' || n > max)
		return -1;
	*v = n;
	return 0;
}

int
wire_s64(const char *s, int64_t *v)
{
	long long n;
	char *end;

	if (!isdigit((unsigned char)*s) && *s != '-')
		return -1;
	errno = 0;
	n = strtoll(s, &end, 10);
	if (errno != 0 || *end != '\0' || end == s)
		return -1;
	*v = n;
	return 0;
}
