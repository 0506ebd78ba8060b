/* SPDX-License-Identifier: ISC */
/*
 * Matches names against patterns.  Only the last star is tried again: it
 * can match whatever an earlier star could.
 */
#include <string.h>

#include "symbolizer/name_glob.h"

int
name_glob_isliteral(const char *pattern)
{
	return strpbrk(pattern, "*?[") == NULL;
}

/*
 * Returns the end of the set after a '[', and whether it has the
 * character; NULL: it has no end, so that the bracket stands for itself.
 */
static const char *
match_set(const char *p, unsigned char c, int *has)
{
	int isnot = *p == '!' || *p == '^', found = 0;
	const char *first = p += isnot;
	unsigned char lo, hi;

	for (; *p != '\0' && (*p != ']' || p == first); p++) {
		lo = hi = *p;
		if (p[1] == '-' && p[2] != ']' && p[2] != '\0') {
			hi = p[2];
			p += 2;
		}
		found |= lo <= c && c <= hi;
	}
	*has = found != isnot;
	return *p == ']' ? p + 1 : NULL;
}

/* Returns what follows the element that matches a character; NULL: none does. */
static const char *
match_one(const char *p, char c)
{
	const char *end;
	int has;

	if (*p == '[' && (end = match_set(p + 1, c, &has)) != NULL)
		return has ? end : NULL;
	return *p == '?' || *p == c ? p + 1 : NULL;
}

int
name_glob_match(const char *p, const char *s)
{
	const char *star = NULL, *from = NULL, *next;

	while (*s != '\0') {
		if (*p == '*') {
			star = ++p;
			from = s;
		} else if (*p != '\0' && (next = match_one(p, *s)) != NULL) {
			p = next;
			s++;
		} else if (star != NULL) {
			p = star;
			s = ++from;
		} else
			return 0;
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}
