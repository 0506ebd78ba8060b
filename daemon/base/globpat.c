/* SPDX-License-Identifier: ISC */
/*
 * Compiles and matches patterns of names.  A pattern becomes an array of
 * elements, each of which takes one byte of the text, and stars.  Stars need no
 * recursion: the elements before a star are matched as early as possible, which
 * leaves the most text for the rest, so only the last star passed is ever
 * retried at a later byte.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/globpat.h"
#include "daemon/base/reason.h"

/* An element below 256 is a byte; from ELEM_SET on, the number of a set. */
enum {
	ELEM_ANY = 256,
	ELEM_STAR,
	ELEM_SET,
};

#define NOSTAR UINT32_MAX

static const struct {
	const char *gc_name;
	int (*gc_is)(int);
} classes[] = {
	{ "alnum", isalnum },
	{ "alpha", isalpha },
	{ "blank", isblank },
	{ "cntrl", iscntrl },
	{ "digit", isdigit },
	{ "graph", isgraph },
	{ "lower", islower },
	{ "print", isprint },
	{ "punct", ispunct },
	{ "space", isspace },
	{ "upper", isupper },
	{ "xdigit", isxdigit },
};

/*
 * Compilation.
 */

static int
refuse(struct reason *rs, const char *why)
{
	return reason_fail(rs, EINVAL, "the pattern %s", why);
}

static void
set_add(uint32_t *set, unsigned int byte)
{
	set[byte / 32] |= 1U << byte % 32;
}

/*
 * Adds the class at *pp, which points after "[:".  Returns 0 if there is none:
 * the bracket is then an ordinary byte, as in fnmatch(3).
 */
static int
set_class(uint32_t *set, const char **pp, struct reason *rs)
{
	size_t i, len = strspn(*pp, "abcdefghijklmnopqrstuvwxyz");
	unsigned int byte;

	if (strncmp(*pp + len, ":]", 2) != 0)
		return 0;
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].gc_name) == len &&
		    memcmp(classes[i].gc_name, *pp, len) == 0)
			break;
	if (i == sizeof(classes) / sizeof(classes[0])) {
		reason_set(rs, "the pattern has an unknown class [:%.16s", *pp);
		return -1;
	}
	for (byte = 1; byte < 256; byte++)
		if (classes[i].gc_is(byte))
			set_add(set, byte);
	*pp += len + 2;
	return 1;
}

/* Consumes a byte, or one after a backslash.  Returns it, 0 at the end. */
static unsigned char
set_byte(const char **pp)
{
	if (**pp == '\\')
		(*pp)++;
	return **pp != '\0' ? (unsigned char)*(*pp)++ : 0;
}

/* Adds the byte or the range at *pp.  Returns 0 if the pattern ends in it. */
static int
set_range(uint32_t *set, const char **pp)
{
	unsigned int from = set_byte(pp), to = from;

	if (from == 0)
		return 0;
	if ((*pp)[0] == '-' && (*pp)[1] != ']') {
		(*pp)++;
		if ((to = set_byte(pp)) == 0)
			return 0;
	}
	for (; from <= to; from++)
		set_add(set, from);
	return 1;
}

/* Returns whether a range begins here whose end looks like a class. */
static int
is_classrange(const char *p)
{
	p += *p == '\\';
	return p[0] != '\0' && p[1] == '-' && p[2] == '[' && p[3] != '\0' &&
	    strchr(":.=", p[3]) != NULL;
}

/*
 * Adds the members of a set; *pp points after the opening bracket and a
 * negation. A closing bracket that is the first member is literal.
 */
static int
set_members(uint32_t *set, const char **pp, struct reason *rs)
{
	const char *first = *pp;
	int r;

	for (; **pp != ']' || *pp == first;) {
		if ((*pp)[0] == '[' && ((*pp)[1] == '.' || (*pp)[1] == '='))
			return refuse(rs,
			    "has [. or [= in brackets, which "
			    "is not supported");
		if ((*pp)[0] == '[' && (*pp)[1] == ':') {
			*pp += 2;
			if ((r = set_class(set, pp, rs)) == -1)
				return EINVAL;
			if (r == 1)
				continue;
			*pp -= 2;
		}
		/* fnmatch(3) does not always agree with itself on these */
		if (is_classrange(*pp))
			return refuse(rs,
			    "has a range in brackets that ends with [: [. or "
			    "[=");
		if (!set_range(set, pp))
			return refuse(rs,
			    "has a [ without a ]; \\[ is the "
			    "bracket itself");
	}
	(*pp)++;
	return 0;
}

static int
compile_set(struct globpat *gp, const char **pp, struct reason *rs)
{
	uint32_t *set = gp->gp_sets[gp->gp_nsets];
	int error, isnot = **pp == '!' || **pp == '^';
	size_t i;

	*pp += isnot;
	memset(set, 0, sizeof(gp->gp_sets[0]));
	if ((error = set_members(set, pp, rs)) != 0)
		return error;
	for (i = 0; isnot && i < 256 / 32; i++)
		set[i] = ~set[i];
	gp->gp_elems[gp->gp_n++] = ELEM_SET + gp->gp_nsets++;
	return 0;
}

static int
compile_next(struct globpat *gp, const char **pp, struct reason *rs)
{
	char c = *(*pp)++;

	switch (c) {
	case '*':
		/* consecutive stars become one */
		if (gp->gp_n == 0 || gp->gp_elems[gp->gp_n - 1] != ELEM_STAR)
			gp->gp_elems[gp->gp_n++] = ELEM_STAR;
		return 0;
	case '?':
		gp->gp_elems[gp->gp_n++] = ELEM_ANY;
		return 0;
	case '[':
		return compile_set(gp, pp, rs);
	case '\\':
		if ((c = *(*pp)++) == '\0')
			return refuse(rs, "ends with a backslash");
		break;
	}
	gp->gp_elems[gp->gp_n++] = (unsigned char)c;
	return 0;
}

int
globpat_compile(struct globpat *gp, const char *pattern, struct reason *rs)
{
	int error = 0;

	gp->gp_n = gp->gp_nsets = 0;
	if (strlen(pattern) >= GLOBPAT_MAX)
		return reason_fail(rs, ENAMETOOLONG,
		    "the pattern is longer than %d bytes", GLOBPAT_MAX - 1);
	while (error == 0 && *pattern != '\0')
		error = compile_next(gp, &pattern, rs);
	return error;
}

/*
 * Matching.
 */

static int
elem_takes(const struct globpat *gp, unsigned int elem, unsigned char byte)
{
	if (elem < ELEM_SET)
		return elem == ELEM_ANY || elem == byte;
	return gp->gp_sets[elem - ELEM_SET][byte / 32] >> byte % 32 & 1;
}

int
globpat_match(const struct globpat *gp, const char *text)
{
	unsigned int i = 0, star = NOSTAR; /* element after the last star */
	const char *from = text;	   /* where the match after that star
					    * began */

	while (*text != '\0') {
		if (i < gp->gp_n && gp->gp_elems[i] == ELEM_STAR) {
			if ((star = ++i) == gp->gp_n)
				return 1;
			from = text;
		} else if (i < gp->gp_n &&
		    elem_takes(gp, gp->gp_elems[i], *text)) {
			i++;
			text++;
		} else if (star != NOSTAR) {
			i = star;
			text = ++from;
		} else
			return 0;
	}
	while (i < gp->gp_n && gp->gp_elems[i] == ELEM_STAR)
		i++;
	return i == gp->gp_n;
}
