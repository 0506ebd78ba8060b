/* SPDX-License-Identifier: ISC */
/*
 * Checks that a text is harmless for a terminal: valid UTF-8 without control
 * characters, and without those that reverse or hide text.
 */
#ifndef FUZZ_TERMINAL_H
#define FUZZ_TERMINAL_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length of the character that begins with c; 0: invalid. */
static inline size_t
terminal_length(uint8_t first)
{
	return first < 0x80 ? 1
	    : first < 0xc2  ? 0
	    : first < 0xe0  ? 2
	    : first < 0xf0  ? 3
	    : first < 0xf5  ? 4
			    : 0;
}

/* Returns NULL, or the fault and its position. */
static inline const char *
terminal_wrong(const uint8_t *s, size_t len, size_t *at)
{
	size_t i, n;
	uint32_t c;

	for (*at = 0; *at < len; *at += n) {
		n = terminal_length(s[*at]);
		if (n == 0 || n > len - *at)
			return "no UTF-8";
		c = n > 1 ? s[*at] & 0x7f >> n : s[*at];
		for (i = 1; i < n; i++) {
			if ((s[*at + i] & 0xc0) != 0x80)
				return "no UTF-8";
			c = c << 6 | (s[*at + i] & 0x3f);
		}
		if ((c < 0x20 && c != '\n' && c != '\t') ||
		    (c >= 0x7f && c <= 0x9f))
			return "a control character";
		if ((c >= 0x202a && c <= 0x202e) ||
		    (c >= 0x2066 && c <= 0x2069) || c == 0x200b || c == 0xfeff)
			return "a character that hides";
	}
	return NULL;
}

#endif /* FUZZ_TERMINAL_H */
