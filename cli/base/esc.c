/* SPDX-License-Identifier: ISC */
/*
 * Implements the escapes of esc.h.  Most input is printable ASCII, so runs of
 * it are copied at once.
 */
#include <stdint.h>
#include <string.h>

#include "cli/base/esc.h"
#include "common/visible.h"

static void
esc_bytes(struct buf *b, const char *prefix, const unsigned char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";

	for (; n > 0; n--, s++) {
		buf_str(b, prefix);
		buf_c(b, hex[*s >> 4]);
		buf_c(b, hex[*s & 0xf]);
	}
}

/* Printable characters that need an escape. */
struct esc_stops {
	unsigned char stops[3];
};

static const struct esc_stops esc_no_stops, esc_quotes = { { '"', '\\' } },
					    esc_angles = { { '<', '>', '\\' } };

/* Copies the plain characters at s and returns their number. */
static size_t
esc_plain(struct buf *b, const unsigned char *s, size_t len,
    const struct esc_stops *es)
{
	size_t n;

	for (n = 0; n < len && s[n] >= 0x20 && s[n] < 0x7f; n++) {
		if (s[n] == es->stops[0] || s[n] == es->stops[1] ||
		    s[n] == es->stops[2])
			break;
	}
	buf_mem(b, s, n);
	return n;
}

/* Writes a character that is not plain; returns its length. */
static size_t
esc_other(struct buf *b, const unsigned char *s, size_t len)
{
	uint32_t cp;
	size_t n = visible_utf8(s, len, &cp);

	if (n > 1 && !visible_hidden(cp)) {
		buf_mem(b, s, n);
		return n;
	}
	if (n == 0)
		n = 1;
	esc_bytes(b, "\\x", s, n);
	return n;
}

static void
esc_but(struct buf *b, const char *str, size_t len, const struct esc_stops *es)
{
	const unsigned char *s = (const unsigned char *)str, *end = s + len;

	while ((s += esc_plain(b, s, end - s, es)) < end)
		s += esc_other(b, s, end - s);
}

void
esc_text(struct buf *b, const char *str, size_t len)
{
	esc_but(b, str, len, &esc_no_stops);
}

void
esc_angled(struct buf *b, const char *str, size_t len)
{
	esc_but(b, str, len, &esc_angles);
}

void
esc_quoted(struct buf *b, const char *str, size_t len)
{
	static const char from[] = "\"\\\n\t\r\f\v", to[] = "\"\\ntrfv";
	const unsigned char *s = (const unsigned char *)str, *end = s + len;
	const char *p;

	while ((s += esc_plain(b, s, end - s, &esc_quotes)) < end) {
		p = memchr(from, *s, sizeof(from) - 1);
		if (p != NULL) {
			buf_c(b, '\\');
			buf_c(b, to[p - from]);
			s++;
		} else
			s += esc_other(b, s, end - s);
	}
}

void
esc_str(struct buf *b, const char *str)
{
	esc_text(b, str, strlen(str));
}

/* Writes a code point as UTF-16, beyond U+FFFF as a surrogate pair. */
static void
esc_json_hidden(struct buf *b, uint32_t cp)
{
	if (cp > 0xffff) {
		buf_printf(b, "\\u%04x", 0xd7c0 + (cp >> 10));
		cp = 0xdc00 + (cp & 0x3ff);
	}
	buf_printf(b, "\\u%04x", cp);
}

void
esc_json(struct buf *b, const char *str, size_t len)
{
	const unsigned char *s = (const unsigned char *)str, *end;
	uint32_t cp;
	size_t n;

	if (len == 0)
		return; /* str may be NULL */
	end = s + len;
	while ((s += esc_plain(b, s, end - s, &esc_quotes)) < end) {
		n = visible_utf8(s, end - s, &cp);
		if (*s == '"' || *s == '\\') {
			buf_c(b, '\\');
			buf_c(b, *s);
		} else if (n > 1 && visible_hidden(cp))
			esc_json_hidden(b, cp);
		else if (n > 1)
			buf_mem(b, s, n);
		else
			esc_bytes(b, "\\u00", s, 1);
		s += n ? n : 1;
	}
}

/*
 * The last two code points of each plane are valid UTF-8, but not allowed in
 * XML.
 */
static size_t
esc_xml_other(struct buf *b, const unsigned char *s, size_t len)
{
	if (len >= 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe) {
		esc_bytes(b, "\\x", s, 3);
		return 3;
	}
	return esc_other(b, s, len);
}

void
esc_xml(struct buf *b, const char *str, size_t len)
{
	static const char from[] = "<>&\"'";
	static const char *const to[] = { "&lt;", "&gt;", "&amp;", "&quot;",
		"&#39;" };
	const unsigned char *s = (const unsigned char *)str, *end = s + len;
	const char *p;
	size_t n;

	while (s < end) {
		for (n = 0; s + n < end && s[n] >= 0x20 && s[n] < 0x7f &&
		     memchr(from, s[n], sizeof(from) - 1) == NULL;
		     n++)
			;
		buf_mem(b, s, n);
		if ((s += n) == end)
			break;
		p = memchr(from, *s, sizeof(from) - 1);
		if (p != NULL) {
			buf_str(b, to[p - from]);
			s++;
		} else
			s += esc_xml_other(b, s, end - s);
	}
}
