/* SPDX-License-Identifier: ISC */
/*
 * Parses the text of events/SUBSYSTEM/NAME/format.  The line of a field is
 *
 *	field:TYPE NAME;	offset:8;	size:4;	signed:1;
 *
 * where TYPE may begin with __data_loc or __rel_loc (the record has a word with
 * the field's position).  An array's length follows NAME, or with these two
 * TYPE.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/kernel/tp_format.h"

#define TP_MAXRECORD  8192 /* the kernel's PERF_MAX_TRACE_SIZE */
#define TP_MAXSYSCALL 64   /* header, number, six arguments or a result */
#define TP_MAXDECL    256  /* of a type with its name */

#define TP_DATALOC    "__data_loc "
#define TP_RELLOC     "__rel_loc "

/* The values of a line, unparsed. */
struct tpline {
	char ln_decl[TP_MAXDECL]; /* TYPE NAME */
	unsigned long ln_off, ln_size, ln_signed;
};

static int
begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* Parses the number between "WORD:" and ';'. */
static int
line_number(const char *line, const char *end, const char *word,
    unsigned long *vp)
{
	const char *p;
	char *stop;

	for (p = line; p < end && !begins(p, word); p++)
		;
	p += strlen(word);
	if (p >= end || !isdigit((unsigned char)*p))
		return EINVAL;
	errno = 0;
	*vp = strtoul(p, &stop, 10);
	return errno == 0 && *stop == ';' ? 0 : EINVAL;
}

static int
line_parse(const char *line, const char *end, struct tpline *ln)
{
	const char *p = memchr(line, ';', end - line);

	if (p == NULL || p == line || (size_t)(p - line) >= TP_MAXDECL)
		return EINVAL;
	memcpy(ln->ln_decl, line, p - line);
	ln->ln_decl[p - line] = '\0';
	if (line_number(p, end, "offset:", &ln->ln_off) != 0 ||
	    line_number(p, end, "size:", &ln->ln_size) != 0 ||
	    line_number(p, end, "signed:", &ln->ln_signed) != 0)
		return EINVAL;
	if (ln->ln_off > TP_MAXRECORD || ln->ln_size > TP_MAXRECORD)
		return EINVAL;
	return 0;
}

static int
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * Finds the name in a declaration: the last word before an array's length, or
 * the name of a pointer to a function.
 */
static int
decl_name(const char *decl, size_t *atp, size_t *lenp)
{
	const char *p = strstr(decl, "(*");
	size_t end, at, n = strlen(decl);

	if (p != NULL) {
		at = p + 2 - decl;
		for (end = at; is_word(decl[end]); end++)
			;
	} else {
		end = n;
		if (n > 0 && decl[n - 1] == ']')
			end = strcspn(decl, "[");
		while (end > 0 && decl[end - 1] == ' ')
			end--;
		for (at = end; at > 0 && is_word(decl[at - 1]); at--)
			;
	}
	if (end == at || at == 0)
		return EINVAL;
	*atp = at;
	*lenp = end - at;
	return 0;
}

/* Splits a declaration into the name and the type, which is the rest. */
static int
decl_split(const char *decl, struct tfm_format_field *tf)
{
	size_t at, len, n;

	if (decl_name(decl, &at, &len) != 0)
		return EINVAL;
	snprintf(tf->tf_name, sizeof(tf->tf_name), "%.*s", (int)len, decl + at);
	n = at;
	while (n > 0 && decl[n - 1] == ' ')
		n--;
	snprintf(tf->tf_type, sizeof(tf->tf_type), "%.*s%s", (int)n, decl,
	    decl + at + len);
	return 0;
}

/* Copies a type without words that do not affect its kind. */
static void
type_plain(const char *type, char *plain, size_t size)
{
	static const char *const words[] = { TP_DATALOC, TP_RELLOC, "const ",
		"volatile ", "__user " };
	size_t i, n = 0;

	while (*type != '\0' && n + 1 < size) {
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (begins(type, words[i])) {
				type += strlen(words[i]);
				break;
			}
		if (i == sizeof(words) / sizeof(words[0])) {
			if (*type == '*' && n > 0 && plain[n - 1] == ' ')
				n--;
			plain[n++] = *type++;
		}
	}
	plain[n] = '\0';
}

static int
is_size(unsigned long size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* How a field is read. */
static enum dt_field_how
field_how(const char *type, const struct tpline *ln, int issyscall)
{
	int isloc = begins(type, TP_DATALOC) || begins(type, TP_RELLOC);
	int isuser = issyscall || strstr(type, "__user") != NULL;
	char plain[TP_MAXDECL];

	type_plain(type, plain, sizeof(plain));
	if (isloc)
		return begins(plain, "char[") ? DT_FIELD_LOCCHARS
					      : DT_FIELD_LOCBYTES;
	if (begins(plain, "char["))
		return DT_FIELD_CHARS;
	if (strchr(plain, '[') != NULL || !is_size(ln->ln_size))
		return DT_FIELD_BYTES;
	if (strcmp(plain, "char*") == 0 && ln->ln_size == 8)
		return isuser ? DT_FIELD_USERTEXT : DT_FIELD_KERNTEXT;
	return DT_FIELD_NUMBER;
}

static int
field_make(const struct tpline *ln, int issyscall, struct tfm_format_field *tf)
{
	struct dt_field *f = &tf->tf_field;

	memset(tf, 0, sizeof(*tf));
	if (decl_split(ln->ln_decl, tf) != 0)
		return EINVAL;
	f->fld_off = ln->ln_off;
	f->fld_size = ln->ln_size;
	f->fld_signed = ln->ln_signed != 0;
	f->fld_how = field_how(tf->tf_type, ln, issyscall);
	if (begins(tf->tf_type, TP_RELLOC))
		f->fld_base = ln->ln_off + ln->ln_size;
	tf->tf_isnumber = f->fld_how == DT_FIELD_NUMBER &&
	    strchr(tf->tf_type, '*') == NULL;
	return 0;
}

/* Parses a field's line after "field:". */
static int
format_field(const char *line, const char *end, int issyscall,
    struct tp_format *tp)
{
	struct tfm_format_field tf;
	struct tpline ln;

	if (line_parse(line, end, &ln) != 0 ||
	    field_make(&ln, issyscall, &tf) != 0)
		return EINVAL;
	tp->tfm_bytes = ln.ln_off + ln.ln_size; /* as the kernel has it */
	if (begins(tf.tf_name, "common_"))
		return 0;
	if (tp->tfm_n == DT_TP_FIELDS ||
	    (issyscall && ln.ln_off + ln.ln_size > TP_MAXSYSCALL)) {
		tp->tfm_cut++;
		return 0;
	}
	tp->tfm_fields[tp->tfm_n++] = tf;
	return 0;
}

int
tp_format_parse(const char *text, int issyscall, struct tp_format *tp)
{
	const char *p = text, *end;
	int hasid = 0;

	memset(tp, 0, sizeof(*tp));
	for (; *p != '\0' && !begins(p, "print fmt:");
	     p = *end == '\n' ? end + 1 : end) {
		end = p + strcspn(p, "\n");
		p += strspn(p, "\t ");
		if (begins(p, "ID:")) {
			tp->tfm_id = strtoul(p + strlen("ID:"), NULL, 10);
			hasid = 1;
		} else if (begins(p, "field:") &&
		    format_field(p + strlen("field:"), end, issyscall, tp) != 0)
			return EINVAL;
	}
	return hasid ? 0 : EINVAL;
}
