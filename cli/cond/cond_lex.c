/* SPDX-License-Identifier: ISC */
/*
 * Splits a condition into tokens.  Digits and names are ASCII; texts may have
 * any bytes but NUL.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/esc.h"
#include "cli/cond/cond.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS	"0123456789"

/* Longer ones first. */
static const struct {
	const char *text;
	enum cond_word word;
} lex_signs[] = {
	{ "&&", WORD_AND },
	{ "||", WORD_OR },
	{ "==", WORD_EQ },
	{ "!=", WORD_NE },
	{ "<=", WORD_LE },
	{ ">=", WORD_GE },
	{ "<", WORD_LT },
	{ ">", WORD_GT },
	{ "!", WORD_NOT },
	{ "(", WORD_OPEN },
	{ ")", WORD_CLOSE },
	{ "&", WORD_BITAND },
	{ "|", WORD_BITOR },
	{ "-", WORD_MINUS },
	{ "~", WORD_INVERT },
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

static int
lex_fail(const struct cond_tok *tk, struct cond_error *er, const char *why)
{
	return cond_fail(er, tk->tok_begin, tk->tok_end, "%s", why);
}

/* Parses the fraction of a time. */
static void
lex_real(const char *text, struct cond_tok *tk)
{
	const char *p = text + tk->tok_end;
	double digit = 0.1;

	tk->tok_isreal = 1;
	for (p++; *p >= '0' && *p <= '9'; p++, digit /= 10)
		tk->tok_real += digit * (*p - '0');
	tk->tok_end = p - text;
}

/* Parses the unit after the digits, if any. */
static int
lex_unit(const char *text, struct cond_tok *tk, struct cond_error *er)
{
	const char *unit = text + tk->tok_end;
	size_t n = strspn(unit, LETTERS DIGITS);

	tk->tok_end += n;
	if (n >= 4)
		return lex_fail(tk, er, "this is not a number");
	memcpy(tk->tok_name, unit, n);
	tk->tok_name[n] = '\0';
	return 0;
}

static int
lex_number(const char *text, struct cond_tok *tk, struct cond_error *er)
{
	const char *p = text + tk->tok_begin;
	int ishex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	int isoctal = p[0] == '0' && !ishex && p[1] != '.';
	char *end;

	tk->tok_word = WORD_NUMBER;
	errno = 0;
	tk->tok_number = strtoull(p, &end, ishex ? 16 : isoctal ? 8 : 10);
	tk->tok_end = end - text;
	tk->tok_real = tk->tok_number;
	if (errno != 0)
		return lex_fail(tk, er, "a number has at most 64 bits");
	if (ishex && end - p <= 2) {
		tk->tok_end = tk->tok_begin + 2;
		return lex_fail(tk, er, "digits are missing after 0x");
	}
	if (isoctal && strchr("89", *end) != NULL && *end != '\0') {
		tk->tok_end++;
		return lex_fail(tk, er,
		    "a number that begins with 0 is octal and cannot have 8 "
		    "or 9");
	}
	if (*end == '.' && !ishex && !isoctal)
		lex_real(text, tk);
	return lex_unit(text, tk, er);
}

/*
 * Parses the rest of str(NAME), which becomes one name.  A side is moved to the
 * front: from.str(NAME).
 */
static int
lex_str(const char *text, struct cond_tok *tk, struct cond_error *er)
{
	static const char *const sides[] = { "from.", "to." };
	const char *p = text + tk->tok_end, *side = "";
	size_t i, n;

	p += strspn(p, " ");
	if (*p != '(')
		return 0;
	p += 1 + strspn(p + 1, " ");
	for (i = 0; i < N(sides); i++)
		if (strncmp(p, sides[i], strlen(sides[i])) == 0) {
			side = sides[i];
			p += strlen(side);
			break;
		}
	n = strspn(p, LETTERS DIGITS ".");
	tk->tok_end = p + n + strspn(p + n, " ") - text;
	if (n == 0 || text[tk->tok_end] != ')')
		return lex_fail(tk, er,
		    "str() takes the name of an argument, or retval");
	tk->tok_end++;
	if ((size_t)snprintf(tk->tok_name, sizeof(tk->tok_name), "%sstr(%.*s)",
		side, (int)n, p) >= sizeof(tk->tok_name))
		return lex_fail(tk, er, "this name is too long");
	return 0;
}

/* Parses a name; args.pid is one name. */
static int
lex_name(const char *text, struct cond_tok *tk, struct cond_error *er)
{
	const char *p = text + tk->tok_begin;
	size_t n = strspn(p, LETTERS DIGITS ".");

	tk->tok_word = WORD_NAME;
	tk->tok_end = tk->tok_begin + n;
	if (n >= sizeof(tk->tok_name))
		return lex_fail(tk, er, "this name is too long");
	memcpy(tk->tok_name, p, n);
	tk->tok_name[n] = '\0';
	return strcmp(tk->tok_name, "str") == 0 ? lex_str(text, tk, er) : 0;
}

static int
lex_quoted(const char *text, struct cond_tok *tk, struct cond_error *er)
{
	const char *p = text + tk->tok_begin;
	char quote = *p;

	tk->tok_word = WORD_TEXT;
	for (p++; *p != quote; p++) {
		if (*p == '\\' && p[1] != '\0')
			p++;
		if (*p == '\0') {
			tk->tok_end = p - text;
			return lex_fail(tk, er,
			    "the closing quote of the string is missing");
		}
	}
	tk->tok_end = p + 1 - text;
	return 0;
}

static int
lex_sign(const char *text, struct cond_tok *tk, struct cond_error *er)
{
	const char *p = text + tk->tok_begin;
	size_t i, n;

	for (i = 0; i < N(lex_signs); i++) {
		n = strlen(lex_signs[i].text);
		if (strncmp(p, lex_signs[i].text, n) == 0) {
			tk->tok_word = lex_signs[i].word;
			tk->tok_end = tk->tok_begin + n;
			return 0;
		}
	}
	for (n = 1; ((unsigned char)p[n] & 0xc0) == 0x80; n++)
		continue; /* the rest of a UTF-8 character */
	tk->tok_end = tk->tok_begin + n;
	if (*p == '=')
		return lex_fail(tk, er, "a comparison is ==");
	return lex_fail(tk, er, "unknown character");
}

int
cond_lex(const char *text, unsigned int at, struct cond_tok *tk,
    struct cond_error *er)
{
	const char *p = text + at + strspn(text + at, " \t\n");

	memset(tk, 0, sizeof(*tk));
	tk->tok_begin = tk->tok_end = p - text;
	if (*p == '\0')
		return 0; /* WORD_END */
	if (strchr(DIGITS, *p) != NULL)
		return lex_number(text, tk, er);
	if (strchr(LETTERS, *p) != NULL)
		return lex_name(text, tk, er);
	if (*p == '"' || *p == '\'')
		return lex_quoted(text, tk, er);
	return lex_sign(text, tk, er);
}

static int
lex_hexdigit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = c != '\0' ? strchr(digits, c | 0x20) : NULL;

	return p != NULL ? (int)(p - digits) : -1;
}

/* Returns the character of an escape sequence; moves p to its end. */
static int
lex_escaped(const char **p)
{
	static const char names[] = "n\nt\tr\re\033";
	const char *name;
	int high, low;

	if (**p == 'x') {
		if ((high = lex_hexdigit((*p)[1])) == -1 ||
		    (low = lex_hexdigit((*p)[2])) == -1)
			return -1;
		*p += 2;
		return high << 4 | low;
	}
	for (name = names; *name != '\0'; name += 2)
		if (*name == **p)
			return name[1];
	return strchr("\\\"'*", **p) != NULL ? **p : -1;
}

int
cond_lex_text(const char *text, const struct cond_tok *tk, char *buf,
    unsigned int size, int *isprefix, struct cond_error *er)
{
	const char *p = text + tk->tok_begin + 1, *end = text + tk->tok_end - 1;
	const char *begin;
	unsigned int n = 0;
	int c;

	for (*isprefix = 0; p < end; p++) {
		begin = p;
		c = (unsigned char)*p;
		if (c == '*' && p + 1 == end) {
			*isprefix = 1;
			break;
		}
		if (c == '*')
			return cond_fail(er, p - text, p - text + 1,
			    "a * is allowed at the end only, for any rest; "
			    "write \\* for the character");
		if (c == '\\') {
			p++;
			c = lex_escaped(&p);
		}
		if (c <= 0)
			return cond_fail(er, begin - text, begin - text + 2,
			    "unknown escape; valid are \\n \\t \\r \\e \\\\ "
			    "\\\" \\' \\* and \\xNN (but not \\x00)");
		if (n == size)
			return cond_fail(er, tk->tok_begin, tk->tok_end,
			    "a string can have at most %u bytes", size);
		buf[n++] = c;
	}
	return n;
}
