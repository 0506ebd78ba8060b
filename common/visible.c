/* SPDX-License-Identifier: ISC */
/* Escapes text, so that a terminal neither obeys nor hides any of it. */
#include <stdio.h>
#include <string.h>

#include "common/visible.h"

#define ESCAPE 4 /* characters of \xNN */

/* Characters beyond ASCII that a terminal obeys or does not show. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x80, 0x9f },	    /* C1: U+009B is ESC [ */
	{ 0xad, 0xad },	    /* soft hyphen */
	{ 0x61c, 0x61c },   /* direction of text */
	{ 0x200b, 0x200f }, /* no width; direction */
	{ 0x2028, 0x202e }, /* line ends; direction */
	{ 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
	{ 0xe0000, 0xe007f }, /* tags */
};

size_t
visible_utf8(const unsigned char *s, size_t len, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t i, n;
	uint32_t c;

	if (s[0] < 0x80) {
		*cp = s[0];
		return 1;
	}
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || n > len)
		return 0;
	c = s[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*cp = c;
	return n;
}

int
visible_hidden(uint32_t cp)
{
	size_t i;

	for (i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		if (cp >= hidden[i].first && cp <= hidden[i].last)
			return 1;
	}
	return 0;
}

/* Returns the length of the character at s; *escaped: whether it has to be. */
static size_t
visible_next(const unsigned char *s, size_t len, int *escaped)
{
	uint32_t cp = 0;
	size_t n = visible_utf8(s, len, &cp);

	*escaped = n == 0 || cp < 0x20 || cp == 0x7f || visible_hidden(cp);
	return n == 0 ? 1 : n;
}

void
visible_copy(char *dst, size_t size, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i, n, left = strlen(text);
	int escaped;

	for (; left > 0; s += n, left -= n) {
		n = visible_next(s, left, &escaped);
		if (size <= (escaped ? n * ESCAPE : n))
			break;
		if (!escaped)
			memcpy(dst, s, n);
		for (i = 0; escaped && i < n; i++)
			snprintf(dst + i * ESCAPE, ESCAPE + 1, "\\x%02x", s[i]);
		dst += escaped ? n * ESCAPE : n;
		size -= escaped ? n * ESCAPE : n;
	}
	*dst = '\0';
}
