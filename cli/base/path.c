/* SPDX-License-Identifier: ISC */
/* Joins a folder and a name as text, without the file system. */
#include <string.h>

#include "cli/base/path.h"

/*
 * Appends the components of a name to the path of len bytes in to.  Returns its
 * new length, 0 if it does not fit.
 */
static size_t
path_append(char *to, size_t size, size_t len, const char *name, size_t n)
{
	const char *p = name, *end = name + n, *slash;
	size_t part;

	for (; p < end; p = slash + 1) {
		if ((slash = memchr(p, '/', end - p)) == NULL)
			slash = end;
		part = slash - p;
		if (part == 0 || (part == 1 && *p == '.'))
			continue;
		if (part == 2 && p[0] == '.' && p[1] == '.') {
			while (len > 0 && to[--len] != '/')
				;
			continue;
		}
		if (size - len < part + 2)
			return 0;
		to[len++] = '/';
		memcpy(to + len, p, part);
		len += part;
	}
	if (len == 0)
		to[len++] = '/';
	to[len] = '\0';
	return len;
}

size_t
path_join(char *to, size_t size, const char *dir, const char *name, size_t n)
{
	size_t len = 0;

	if (n == 0 || *name != '/') {
		if (dir == NULL || *dir != '/')
			return 0;
		len = path_append(to, size, 0, dir, strlen(dir));
		if (len == 0)
			return 0;
		if (len == 1)
			len = 0; /* the root already ends with a slash */
	}
	return path_append(to, size, len, name, n);
}
