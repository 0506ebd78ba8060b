/* SPDX-License-Identifier: ISC */
/*
 * Splits a script into tokens.  Lines of the preprocessor are skipped:
 * #include is ignored, since types come from the kernel's description, and of
 * #if only the part counts that is for such a kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_lex.h"

#define HAVE_BTF "BPFTRACE_HAVE_BTF"

static int
lex_isname(int c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Preprocessor */

static int
lex_word(const char **p, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*p, word, len) != 0 || lex_isname((*p)[len]))
		return 0;
	*p += len;
	*p += strspn(*p, " \t");
	return 1;
}

static void
lex_define(struct lex *lx, const char *p)
{
	struct script_define *sd;
	size_t len = 0;

	while (lex_isname(p[len]))
		len++;
	if (len == 0 || p[len] == '(') {
		script_fail(lx->lx_error, p - lx->lx_text,
		    p - lx->lx_text + len,
		    "only constants can be defined, for example #define N 5");
		return;
	}
	if (lx->lx_ndefines == SCRIPT_MAXDEFINES) {
		script_fail(lx->lx_error, p - lx->lx_text, 0,
		    "more than %d definitions", SCRIPT_MAXDEFINES);
		return;
	}
	sd = &lx->lx_defines[lx->lx_ndefines++];
	sd->sd_name = p;
	sd->sd_namelen = len;
	p += len;
	p += strspn(p, " \t");
	sd->sd_value = p;
	for (len = strcspn(p, "\r\n");
	     len > 0 && isblank((unsigned char)p[len - 1]); len--)
		;
	sd->sd_valuelen = len;
}

/* Handles a line that begins with #. */
static void
lex_directive(struct lex *lx)
{
	const char *p = lx->lx_text + lx->lx_at + 1;

	p += strspn(p, " \t");
	if (lex_word(&p, "ifdef") || lex_word(&p, "if")) {
		lx->lx_nif++;
		if (lx->lx_skip > 0 ||
		    strncmp(p, HAVE_BTF, strlen(HAVE_BTF)) != 0)
			lx->lx_skip++;
	} else if (lex_word(&p, "ifndef")) {
		lx->lx_nif++;
		if (lx->lx_skip > 0 ||
		    strncmp(p, HAVE_BTF, strlen(HAVE_BTF)) == 0)
			lx->lx_skip++;
	} else if (lex_word(&p, "else")) {
		if (lx->lx_nif > 0 && lx->lx_skip <= 1)
			lx->lx_skip = !lx->lx_skip;
	} else if (lex_word(&p, "endif")) {
		if (lx->lx_skip > 0)
			lx->lx_skip--;
		if (lx->lx_nif > 0)
			lx->lx_nif--;
	} else if (lx->lx_skip == 0 && lex_word(&p, "include"))
		lx->lx_nincludes++;
	else if (lx->lx_skip == 0 && lex_word(&p, "define"))
		lex_define(lx, p);
	lx->lx_at += strcspn(lx->lx_text + lx->lx_at, "\n");
}

static int
lex_isline(const struct lex *lx)
{
	size_t i = lx->lx_at;

	while (i > 0 && isblank((unsigned char)lx->lx_text[i - 1]))
		i--;
	return i == 0 || lx->lx_text[i - 1] == '\n';
}

/* Blanks and comments */

static int
lex_comment(struct lex *lx)
{
	const char *p = lx->lx_text + lx->lx_at, *end;

	if (p[0] == '/' && p[1] == '/') {
		lx->lx_at += strcspn(p, "\n");
		return 1;
	}
	if (p[0] != '/' || p[1] != '*')
		return 0;
	if ((end = strstr(p + 2, "*/")) == NULL) {
		script_fail(lx->lx_error, lx->lx_at, lx->lx_at + 2,
		    "the comment does not end");
		return 0;
	}
	lx->lx_at = end + 2 - lx->lx_text;
	return 1;
}

void
lex_blanks(struct lex *lx)
{
	for (;;) {
		const char c = lx->lx_text[lx->lx_at];

		if (lx->lx_error->ser_is || c == '\0')
			return;
		if (c == '#' && lex_isline(lx))
			lex_directive(lx);
		else if (lx->lx_skip > 0)
			lx->lx_at += strcspn(lx->lx_text + lx->lx_at, "\n") +
			    (strchr(lx->lx_text + lx->lx_at, '\n') != NULL);
		else if (isspace((unsigned char)c))
			lx->lx_at++;
		else if (!lex_comment(lx))
			return;
	}
}

/* Tokens */

static char *
lex_copy(struct lex *lx, const char *s, size_t len)
{
	char *copy = lx->lx_alloc(lx->lx_arg, len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

static void
lex_name(struct lex *lx, struct tok *t, enum stk_kind kind)
{
	const char *p = lx->lx_text + lx->lx_at;
	size_t len = 0;

	while (lex_isname(p[len]))
		len++;
	t->stk_kind = kind;
	t->stk_text = lex_copy(lx, p, len);
	t->stk_len = len;
	lx->lx_at += len;
}

/* 12, 0x1f, 017, 1e6, 1_000 and a suffix u, l */
static void
lex_number(struct lex *lx, struct tok *t)
{
	const char *p = lx->lx_text + lx->lx_at;
	char digits[64], *end;
	size_t n = 0, i = 0, zeros;
	uint64_t v;

	while (lex_isname(p[i]) && n < sizeof(digits) - 1) {
		if (p[i] != '_')
			digits[n++] = p[i];
		i++;
	}
	digits[n] = '\0';
	while (n > 0 && strchr("uUlL", digits[n - 1]) != NULL)
		digits[--n] = '\0';
	errno = 0;
	v = strtoull(digits, &end, 0);
	if (errno == 0 && *end == 'e' && isdigit((unsigned char)end[1]) &&
	    strncmp(digits, "0x", 2) != 0) {
		zeros = strtoul(end + 1, &end, 10);
		while (zeros-- > 0)
			if (__builtin_mul_overflow(v, 10, &v)) {
				errno = ERANGE;
				break;
			}
	}
	lx->lx_at += i;
	t->stk_kind = TOK_NUMBER;
	t->stk_number = v;
	if (errno != 0)
		script_fail(lx->lx_error, t->stk_begin, lx->lx_at,
		    "the number has more than 64 bits");
	else if (*end != '\0' || lex_isname(p[i]))
		script_fail(lx->lx_error, t->stk_begin, lx->lx_at,
		    "this is not a number; right are 12, 0x1f, 017 and 1e6");
}

/* Decodes an escape after its backslash.  Returns the bytes that it has. */
static size_t
lex_escape(struct lex *lx, const char *p, char *c)
{
	static const char from[] = "ntr\"\\ab'", to[] = "\n\t\r\"\\\a\b'";
	const char *f = *p != '\0' ? strchr(from, *p) : NULL;
	size_t n = 0;
	unsigned int v = 0;

	if (f != NULL) {
		*c = to[f - from];
		return 1;
	}
	if (*p == 'x') {
		for (n = 1; n < 3 && isxdigit((unsigned char)p[n]); n++)
			v = v * 16 +
			    (isdigit((unsigned char)p[n])
				    ? p[n] - '0'
				    : (p[n] | 0x20) - 'a' + 10);
		n = n > 1 ? n : 0;
	} else
		for (; n < 3 && p[n] >= '0' && p[n] <= '7'; n++)
			v = v * 8 + p[n] - '0';
	if (n == 0)
		script_fail(lx->lx_error, p - 1 - lx->lx_text,
		    p + 1 - lx->lx_text,
		    "unknown escape; a string has \\n \\t \\r \\\" \\\\ \\x1f "
		    "and \\033");
	*c = v;
	return n;
}

static void
lex_string(struct lex *lx, struct tok *t)
{
	const char *p = lx->lx_text + lx->lx_at + 1;
	char *out;
	size_t len = 0;

	while (p[len] != '"' && p[len] != '\0')
		len += p[len] == '\\' && p[len + 1] != '\0' ? 2 : 1;
	if (p[len] == '\0') {
		script_fail(lx->lx_error, t->stk_begin, t->stk_begin + 1,
		    "the string does not end");
		return;
	}
	t->stk_kind = TOK_STRING;
	out = t->stk_text = lex_copy(lx, p, len);
	while (*p != '"' && !lx->lx_error->ser_is)
		if (*p == '\\') {
			p++;
			p += lex_escape(lx, p, out++);
		} else
			*out++ = *p++;
	*out = '\0';
	t->stk_len = out - t->stk_text;
	lx->lx_at = p + 1 - lx->lx_text;
}

static void
lex_dollar(struct lex *lx, struct tok *t)
{
	const char *p = lx->lx_text + ++lx->lx_at;

	if (*p == '#') {
		t->stk_kind = TOK_PARAM;
		t->stk_number = UINT64_MAX;
		lx->lx_at++;
	} else if (isdigit((unsigned char)*p)) {
		lex_number(lx, t);
		t->stk_kind = TOK_PARAM;
	} else if (lex_isname(*p))
		lex_name(lx, t, TOK_VAR);
	else
		script_fail(lx->lx_error, t->stk_begin, lx->lx_at,
		    "$ needs a name or the number of a parameter");
}

static void
lex_op(struct lex *lx, struct tok *t)
{
	static const char *const ops[] = { "<<=", ">>=", "<<", ">>",
		"<=", ">=", "==", "!=", "&&", "||", "->", "++", "--",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=" };
	const char *p = lx->lx_text + lx->lx_at;
	size_t i, len;

	t->stk_kind = TOK_OP;
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		len = strlen(ops[i]);
		if (strncmp(p, ops[i], len) != 0)
			continue;
		t->stk_op = len == 3 ? OP3(p[0], p[1], p[2]) : OP2(p[0], p[1]);
		lx->lx_at += len;
		return;
	}
	if (strchr("+-*/%&|^~!<>=?:;,.(){}[]", *p) == NULL) {
		script_fail(lx->lx_error, lx->lx_at, lx->lx_at + 1,
		    (unsigned char)*p < ' ' || (unsigned char)*p > 126
			? "unexpected byte"
			: "unexpected '%c'",
		    *p);
		return;
	}
	t->stk_op = OP1(*p);
	lx->lx_at++;
}

void
lex_next(struct lex *lx, struct tok *t)
{
	char c;

	lex_blanks(lx);
	*t = (struct tok){ .stk_begin = lx->lx_at, .stk_end = lx->lx_at };
	c = lx->lx_text[lx->lx_at];
	if (lx->lx_error->ser_is || c == '\0')
		return;
	if (isdigit((unsigned char)c))
		lex_number(lx, t);
	else if (lex_isname(c))
		lex_name(lx, t, TOK_NAME);
	else if (c == '"')
		lex_string(lx, t);
	else if (c == '$')
		lex_dollar(lx, t);
	else if (c == '@') {
		lx->lx_at++;
		lex_name(lx, t, TOK_MAP);
	} else
		lex_op(lx, t);
	t->stk_end = lx->lx_at;
	if (lx->lx_error->ser_is)
		t->stk_kind = TOK_END;
}

/* Returns whether the path of a program may be in the name so far. */
static int
lex_haspath(const char *name, size_t len)
{
	static const char *const provs[] = { "uprobe:", "uretprobe:", "usdt:",
		"u:", "ur:", "U:" };
	size_t i;

	for (i = 0; i < sizeof(provs) / sizeof(provs[0]); i++)
		if (len >= strlen(provs[i]) &&
		    strncmp(name, provs[i], strlen(provs[i])) == 0)
			return 1;
	return 0;
}

char *
lex_probe(struct lex *lx, struct tok *t)
{
	const char *p;
	char *name, *out;
	size_t len = 0;
	int quoted = 0;

	lex_blanks(lx);
	p = lx->lx_text + lx->lx_at;
	for (; p[len] != '\0'; len++) {
		if (p[len] == '"')
			quoted = !quoted;
		else if (!quoted &&
		    (isspace((unsigned char)p[len]) ||
			strchr(",{}", p[len]) != NULL ||
			(p[len] == '/' && !lex_haspath(p, len))))
			break;
	}
	*t = (struct tok){ .stk_kind = TOK_NAME,
		.stk_begin = lx->lx_at,
		.stk_end = lx->lx_at + len };
	if (quoted)
		script_fail(lx->lx_error, t->stk_begin, t->stk_end,
		    "the \" does not end");
	if (len == 0 || lx->lx_error->ser_is)
		return NULL;
	name = out = lex_copy(lx, p, len);
	lx->lx_at += len;
	for (; len > 0; p++, len--)
		if (*p != '"')
			*out++ = *p;
	*out = '\0';
	t->stk_text = name;
	t->stk_len = out - name;
	return name;
}
