/* SPDX-License-Identifier: ISC */
/*
 * Prepares text from others (names of files, processes and symbols; arguments)
 * for a terminal or the journal.  A character that a terminal would obey or hide
 * is escaped.
 */
#ifndef COMMON_VISIBLE_H
#define COMMON_VISIBLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the length of the valid UTF-8 character at s, 0 if there is none.
 * Overlong forms, surrogates and code points above U+10FFFF are not valid.
 */
size_t visible_utf8(const unsigned char *s, size_t len, uint32_t *cp);
/* Whether a terminal obeys this code point beyond ASCII, or does not show it. */
int visible_hidden(uint32_t cp);

/*
 * Copies text.  Control characters, hidden ones and invalid UTF-8 become \xNN
 * for each byte.  Cuts between characters if size does not suffice.
 */
void visible_copy(char *dst, size_t size, const char *text);

#endif /* COMMON_VISIBLE_H */
