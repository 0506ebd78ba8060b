/* SPDX-License-Identifier: ISC */
/*
 * Reads an earlier run from the output of dt kcov -j: an object per line, as
 * json_kcov.c writes it.  Other members are skipped.  The file is untrusted:
 * all of it is checked, and an invalid line ends dt with its number.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/kcov/kcov.h"

#define FILE_MAXLINE (64 << 10)
#define FILE_MAXROWS 1000000
#define FILE_DEPTH   4		/* nesting of objects */
#define ROW_NOCOUNT  UINT64_MAX /* larger than any count */

/* State of the parser within a line. */
struct in {
	const char *kin_at, *kin_end;
	const char *kin_bad; /* NULL, or the error */
	struct buf kin_strs; /* strings, each terminated by a NUL */
};

/* Values of a line: strings are offsets into kin_strs plus 1. */
struct kcov_file_row {
	uint64_t rw_func, rw_module, rw_file;
	uint64_t rw_line, rw_offset, rw_count;
	uint64_t rw_bytes, rw_const, rw_arg1, rw_arg2;
	uint64_t rw_iskcov; /* is the last line */
};

enum in_type {
	IN_STRING,
	IN_NUMBER,
	IN_BOOL,
	IN_OBJECT,
	IN_NULL
};

/* By key: type and destination of a member. */
static const struct {
	const char *key;
	enum in_type type;
	size_t off;
	uint64_t max; /* limit of a number */
} members[] = {
	{ "func", IN_STRING, offsetof(struct kcov_file_row, rw_func), 0 },
	{ "module", IN_STRING, offsetof(struct kcov_file_row, rw_module), 0 },
	{ "file", IN_STRING, offsetof(struct kcov_file_row, rw_file), 0 },
	{ "line", IN_NUMBER, offsetof(struct kcov_file_row, rw_line),
	    UINT32_MAX },
	{ "offset", IN_NUMBER, offsetof(struct kcov_file_row, rw_offset),
	    UINT64_MAX },
	{ "count", IN_NUMBER, offsetof(struct kcov_file_row, rw_count),
	    INT64_MAX },
	{ "bytes", IN_NUMBER, offsetof(struct kcov_file_row, rw_bytes), 8 },
	{ "const", IN_BOOL, offsetof(struct kcov_file_row, rw_const), 0 },
	{ "arg1", IN_NUMBER, offsetof(struct kcov_file_row, rw_arg1),
	    UINT64_MAX },
	{ "arg2", IN_NUMBER, offsetof(struct kcov_file_row, rw_arg2),
	    UINT64_MAX },
	{ "kcov", IN_OBJECT, offsetof(struct kcov_file_row, rw_iskcov), 0 },
};

#define NMEMBERS (sizeof(members) / sizeof(members[0]))

/* Stores the first error. */
static int
in_fail(struct in *in, const char *what)
{
	if (in->kin_bad == NULL)
		in->kin_bad = what;
	in->kin_at = in->kin_end;
	return -1;
}

static void
in_space(struct in *in)
{
	while (in->kin_at < in->kin_end &&
	    (*in->kin_at == ' ' || *in->kin_at == '\t' || *in->kin_at == '\r'))
		in->kin_at++;
}

/* Skips this character, if it is the next. */
static int
in_is(struct in *in, char c)
{
	in_space(in);
	if (in->kin_at == in->kin_end || *in->kin_at != c)
		return 0;
	in->kin_at++;
	return 1;
}

static int
in_word(struct in *in, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(in->kin_end - in->kin_at) < n ||
	    memcmp(in->kin_at, word, n) != 0)
		return 0;
	in->kin_at += n;
	return 1;
}

/*
 * Strings
 */

static int
in_hex4(struct in *in, uint32_t *cp)
{
	unsigned int i, v;

	*cp = 0;
	for (i = 0; i < 4 && in->kin_at < in->kin_end; i++, in->kin_at++) {
		if (*in->kin_at >= '0' && *in->kin_at <= '9')
			v = *in->kin_at - '0';
		else if ((*in->kin_at | 0x20) >= 'a' &&
		    (*in->kin_at | 0x20) <= 'f')
			v = (*in->kin_at | 0x20) - 'a' + 10;
		else
			break;
		*cp = *cp << 4 | v;
	}
	return i == 4 ? 0 : in_fail(in, "\\u needs four hexadecimal digits");
}

static void
in_utf8(struct buf *b, uint32_t cp)
{
	if (cp < 0x800)
		buf_c(b, 0xc0 | cp >> 6);
	else if (cp < 0x10000) {
		buf_c(b, 0xe0 | cp >> 12);
		buf_c(b, 0x80 | (cp >> 6 & 0x3f));
	} else {
		buf_c(b, 0xf0 | cp >> 18);
		buf_c(b, 0x80 | (cp >> 12 & 0x3f));
		buf_c(b, 0x80 | (cp >> 6 & 0x3f));
	}
	buf_c(b, 0x80 | (cp & 0x3f));
}

/* Below U+0100 it is a byte of a name, as in esc_json(). */
static int
in_unicode(struct in *in)
{
	uint32_t cp, low;

	if (in_hex4(in, &cp) == -1)
		return -1;
	if (cp >> 10 == 0xd800 >> 10) {
		if (!in_word(in, "\\u") || in_hex4(in, &low) == -1 ||
		    low >> 10 != 0xdc00 >> 10)
			return in_fail(in, "half of a surrogate pair");
		cp = 0x10000 + ((cp & 0x3ff) << 10 | (low & 0x3ff));
	} else if (cp >> 10 == 0xdc00 >> 10)
		return in_fail(in, "half of a surrogate pair");
	if (cp == 0)
		return in_fail(in, "a string with a NUL in it");
	if (cp < 0x100)
		buf_c(&in->kin_strs, cp);
	else
		in_utf8(&in->kin_strs, cp);
	return 0;
}

static int
in_escape(struct in *in)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (in_word(in, "u"))
		return in_unicode(in);
	if (in->kin_at == in->kin_end || *in->kin_at == '\0' ||
	    (found = strchr(from, *in->kin_at)) == NULL)
		return in_fail(in, "there is no such escape");
	in->kin_at++;
	buf_c(&in->kin_strs, to[found - from]);
	return 0;
}

/* where: its offset plus 1. */
static int
in_string(struct in *in, uint64_t *where)
{
	*where = in->kin_strs.b_len + 1;
	if (!in_is(in, '"'))
		return in_fail(in, "a string is expected");
	while (in->kin_at < in->kin_end && *in->kin_at != '"') {
		if ((unsigned char)*in->kin_at < 0x20)
			return in_fail(in, "a control character in a string");
		if (*in->kin_at != '\\')
			buf_c(&in->kin_strs, *in->kin_at++);
		else if (in->kin_at++, in_escape(in) == -1)
			return -1;
	}
	if (!in_is(in, '"'))
		return in_fail(in, "a string without an end");
	buf_c(&in->kin_strs, '\0');
	return 0;
}

/*
 * Values
 */

static int
in_number(struct in *in, uint64_t *v)
{
	const char *from = in->kin_at;

	for (*v = 0; in->kin_at < in->kin_end && *in->kin_at >= '0' &&
	     *in->kin_at <= '9';
	     in->kin_at++)
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, *in->kin_at - '0', v))
			return in_fail(in, "a number is too large");
	if (in->kin_at == from)
		return in_fail(in, "a value is expected");
	return 0;
}

static int in_object(struct in *, struct kcov_file_row *, unsigned int depth);

/* Parses a value: its type, and the value if it is a number. */
static int
in_value(struct in *in, enum in_type *type, uint64_t *v, unsigned int depth)
{
	in_space(in);
	*v = 0;
	if (in->kin_at < in->kin_end && *in->kin_at == '"') {
		*type = IN_STRING;
		return in_string(in, v);
	}
	if (in->kin_at < in->kin_end && *in->kin_at == '{') {
		*type = IN_OBJECT;
		*v = 1;
		return depth < FILE_DEPTH ? in_object(in, NULL, depth + 1)
					  : in_fail(in, "nested too deeply");
	}
	*type = IN_BOOL;
	if (in_word(in, "true"))
		*v = 1;
	else if (in_word(in, "false"))
		*v = 0;
	else if (in_word(in, "null"))
		*type = IN_NULL;
	else {
		*type = IN_NUMBER;
		return in_number(in, v);
	}
	return 0;
}

/* A known member must have its type. */
static int
in_member(struct in *in, struct kcov_file_row *rw, unsigned int depth)
{
	enum in_type type;
	uint64_t key, v;
	size_t i;

	if (in_string(in, &key) == -1)
		return -1;
	if (!in_is(in, ':'))
		return in_fail(in, "a colon is expected");
	if (in_value(in, &type, &v, depth) == -1)
		return -1;
	for (i = 0; rw != NULL && i < NMEMBERS; i++) {
		if (strcmp(in->kin_strs.b_data + key - 1, members[i].key) != 0)
			continue;
		if (type != members[i].type)
			return in_fail(in, "a member of another type");
		if (type == IN_NUMBER && v > members[i].max)
			return in_fail(in, "a number is too large");
		memcpy((char *)rw + members[i].off, &v, sizeof(v));
	}
	return 0;
}

/* rw NULL: skips it. */
static int
in_object(struct in *in, struct kcov_file_row *rw, unsigned int depth)
{
	if (!in_is(in, '{'))
		return in_fail(in, "an object is expected");
	if (in_is(in, '}'))
		return 0;
	do
		if (in_member(in, rw, depth) == -1)
			return -1;
	while (in_is(in, ','));
	return in_is(in, '}') ? 0 : in_fail(in, "an object without an end");
}

/*
 * Rows
 */

static const char *
row_str(const struct in *in, uint64_t where)
{
	return where != 0 ? in->kin_strs.b_data + where - 1 : NULL;
}

static const char *
row_add(struct kcov_places *kp, const struct in *in,
    const struct kcov_file_row *rw)
{
	struct out_place name = {
		.oa_func = row_str(in, rw->rw_func),
		.oa_module = row_str(in, rw->rw_module),
		.oa_file = row_str(in, rw->rw_file),
		.oa_line = rw->rw_file != 0 ? rw->rw_line : 0,
		.oa_offset = rw->rw_offset,
		.oa_iscmp = rw->rw_bytes != 0,
	};

	if (name.oa_func == NULL || rw->rw_count == ROW_NOCOUNT)
		return "it has no \"func\" and \"count\"";
	if (rw->rw_count == 0)
		return NULL; /* of a comparison: was not reached */
	if (rw->rw_bytes & (rw->rw_bytes - 1))
		return "no operand has so many bytes";
	if (name.oa_iscmp) {
		name.oa_type = KCOV_CMP_SIZE(__builtin_ctz(rw->rw_bytes)) |
		    (rw->rw_const ? KCOV_CMP_CONST : 0);
		name.oa_arg1 = rw->rw_arg1;
		name.oa_arg2 = rw->rw_arg2;
	}
	if (kp->kpl_n > 0 && kp->kpl_list[0].oa_iscmp != name.oa_iscmp)
		return "comparisons and places do not go together";
	kcov_place(kp, &name)->oa_before += rw->rw_count;
	return kp->kpl_n > FILE_MAXROWS ? "there are too many rows" : NULL;
}

const char *
kcov_line(struct kcov_places *kp, const char *line, size_t n)
{
	struct in in = { .kin_at = line, .kin_end = line + n };
	struct kcov_file_row rw = { .rw_count = ROW_NOCOUNT };

	buf_init(&in.kin_strs, -1);
	if (in_object(&in, &rw, 0) == 0) {
		in_space(&in);
		if (in.kin_at != in.kin_end)
			in_fail(&in, "there is something behind the object");
		else if (rw.rw_iskcov)
			kp->kpl_isend = 1;
		else
			in.kin_bad = row_add(kp, &in, &rw);
	}
	buf_free(&in.kin_strs);
	return in.kin_bad;
}

/* Returns the error in a line from fgets(3), or NULL. */
static const char *
file_line(struct kcov_places *kp, const char *line)
{
	size_t n = strlen(line); /* bytes after a NUL are invalid */

	if (n > 0 && line[n - 1] == '\n')
		return kcov_line(kp, line, n - 1);
	return n + 1 == FILE_MAXLINE ? "the line is too long"
				     : "the line has no end";
}

void
kcov_file_read(struct kcov_places *kp, const char *name)
{
	char *line = malloc(FILE_MAXLINE);
	unsigned long nlines = 0;
	const char *bad;
	FILE *fp;

	if (line == NULL)
		err(1, NULL);
	if ((fp = fopen(name, "re")) == NULL)
		err(1, "%s", name);
	while (fgets(line, FILE_MAXLINE, fp) != NULL) {
		nlines++;
		if ((bad = file_line(kp, line)) != NULL)
			errx(1,
			    "%s:%lu: %s; --diff reads what dt kcov -o FILE "
			    "writes",
			    name, nlines, bad);
	}
	if (ferror(fp))
		err(1, "%s", name);
	if (nlines == 0)
		errx(1, "%s: it is empty", name);
	if (!kp->kpl_isend)
		warnx("%s: its last line, {\"kcov\":...}, is not there: it may "
		      "have been cut",
		    name);
	fclose(fp);
	free(line);
}
