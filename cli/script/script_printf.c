/* SPDX-License-Identifier: ISC */
/*
 * The formats of printf().  A number prints with 64 bits; one that fits into 32
 * bits prints as C prints an int, so that %x of -1 is ffffffff.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_run.h"

/* A conversion. */
struct conv {
	char cv_spec[32]; /* flags, width and precision, with % */
	char cv_type;
	int cv_islong; /* l, ll, j, z, t */
	int cv_size;   /* of h and hh, bytes; 0: unset */
	int cv_width, cv_prec, cv_isleft, cv_isplain;
	size_t cv_len; /* bytes in the format */
};

#define CONV_MAXWIDTH 4096

/* Reads a conversion after its %.  Returns NULL, or what is wrong. */
static const char *
conv_read(const char *p, const char *end, struct conv *cv)
{
	const char *start = p;
	size_t n = 0;

	*cv = (struct conv){ .cv_prec = -1, .cv_spec = "%" };
	n = 1;
	for (; p < end && *p != '\0' && strchr("-+ #0", *p) != NULL; p++) {
		cv->cv_isleft |= *p == '-';
		if (n < 8)
			cv->cv_spec[n++] = *p;
	}
	cv->cv_isplain = n == 1;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if ((cv->cv_width = cv->cv_width * 10 + *p - '0') >
		    CONV_MAXWIDTH)
			return "the width of a format is at most 4096";
	if (p < end && *p == '.') {
		cv->cv_prec = 0;
		for (p++; p < end && *p >= '0' && *p <= '9'; p++)
			if ((cv->cv_prec = cv->cv_prec * 10 + *p - '0') >
			    CONV_MAXWIDTH)
				return "the precision of a format is at most "
				       "4096";
	}
	for (; p < end && *p != '\0' && strchr("hlqjzt", *p) != NULL; p++)
		if (*p == 'h')
			cv->cv_size = cv->cv_size == 0 ? 2 : 1;
		else
			cv->cv_islong = 1;
	if (p == end || *p == '\0' || strchr("diuoxXcspr", *p) == NULL)
		return "a format has %d %u %x %o %c %s %p and %r, with a width";
	cv->cv_type = *p;
	cv->cv_spec[n] = '\0';
	cv->cv_len = p + 1 - start;
	return NULL;
}

int
format_check(const char *fmt, size_t len, char *types, unsigned int max,
    const char **why)
{
	const char *p = fmt, *end = fmt + len;
	unsigned int n = 0;
	struct conv cv;

	while (p < end) {
		if (*p++ != '%')
			continue;
		if (p < end && *p == '%') {
			p++;
			continue;
		}
		if ((*why = conv_read(p, end, &cv)) != NULL)
			return -1;
		if (n == max) {
			*why = "the format has too many values";
			return -1;
		}
		types[n++] = strchr("diuoxXcp", cv.cv_type) != NULL ? 'd'
		    : cv.cv_type == 'r'				    ? 'r'
								    : 's';
		p += cv.cv_len;
	}
	return n;
}

/* Appends text with the width of a conversion. */
static void
conv_pad(struct buf *b, const struct conv *cv, const char *s, size_t n)
{
	size_t pad;

	if (cv->cv_prec >= 0 && n > (size_t)cv->cv_prec)
		n = cv->cv_prec;
	pad = (size_t)cv->cv_width > n ? cv->cv_width - n : 0;
	while (!cv->cv_isleft && pad-- > 0)
		buf_c(b, ' ');
	buf_mem(b, s, n);
	while (cv->cv_isleft && (size_t)cv->cv_width > n++)
		buf_c(b, ' ');
}

/* Returns the bits that a conversion prints. */
static uint64_t
conv_bits(const struct conv *cv, uint64_t v)
{
	const int issigned = cv->cv_type == 'd' || cv->cv_type == 'i';

	if (cv->cv_size == 2)
		return issigned ? (uint64_t)(int16_t)v : (uint16_t)v;
	if (cv->cv_size == 1)
		return issigned ? (uint64_t)(int8_t)v : (uint8_t)v;
	if (!issigned && !cv->cv_islong && cv->cv_type != 'p' &&
	    (int64_t)v == (int32_t)v)
		return (uint32_t)v;
	return v;
}

static void
conv_number(struct buf *b, const struct conv *cv, uint64_t v)
{
	char spec[64], text[CONV_MAXWIDTH + 64];
	int n;

	v = conv_bits(cv, v);
	if (cv->cv_isplain && cv->cv_width == 0 && cv->cv_prec < 0) {
		/* most; printf(3) takes ten times as long */
		if (cv->cv_type == 'd' || cv->cv_type == 'i') {
			buf_s64(b, v);
			return;
		}
		if (cv->cv_type == 'u') {
			buf_u64(b, v);
			return;
		}
	}
	if (cv->cv_type == 'c') {
		text[0] = v;
		conv_pad(b, cv, text, 1);
		return;
	}
	n = snprintf(spec, sizeof(spec), "%s", cv->cv_spec);
	if (cv->cv_type == 'p')
		n += snprintf(spec + n, sizeof(spec) - n, "#");
	if (cv->cv_width > 0)
		n += snprintf(spec + n, sizeof(spec) - n, "%d", cv->cv_width);
	if (cv->cv_prec >= 0)
		n += snprintf(spec + n, sizeof(spec) - n, ".%d", cv->cv_prec);
	snprintf(spec + n, sizeof(spec) - n, "ll%c",
	    cv->cv_type == 'p' ? 'x' : cv->cv_type);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	n = snprintf(text, sizeof(text), spec, (unsigned long long)v);
#pragma GCC diagnostic pop
	buf_mem(b, text, n);
}

static void
conv_value(struct srun *sr, struct buf *b, const struct conv *cv,
    const struct sval *sv)
{
	struct buf text;
	int istext;

	if (strchr("diuoxXcp", cv->cv_type) != NULL) {
		conv_number(b, cv, sv->sv_number);
		return;
	}
	istext = sv->sv_text != NULL &&
	    (sv->sv_type == ST_STR || sv->sv_type == ST_INT);
	if (istext && !b->b_isterm) {
		conv_pad(b, cv, sv->sv_text, sv->sv_len);
		return;
	}
	buf_init(&text, -1);
	text.b_isterm = b->b_isterm;
	if (istext)
		sval_text_str(&text, sv->sv_text, sv->sv_len);
	else
		sval_text(&text, sv, sr->srn_names, 0);
	conv_pad(b, cv, text.b_data, text.b_len);
	buf_free(&text);
}

void
srun_format(struct srun *sr, struct buf *b, const struct node *args)
{
	const char *p = args->nd_text, *end = p + args->nd_len, *q;
	const struct node *arg = args->nd_next;
	struct conv cv;
	struct sval sv;

	while (p < end) {
		if ((q = memchr(p, '%', end - p)) == NULL)
			q = end;
		buf_mem(b, p, q - p);
		p = q;
		if (p == end)
			return;
		if (p + 1 < end && p[1] == '%') {
			buf_c(b, '%');
			p += 2;
			continue;
		}
		if (conv_read(p + 1, end, &cv) != NULL || arg == NULL)
			return; /* unreachable: it was checked */
		sv = srun_eval(sr, arg);
		conv_value(sr, b, &cv, &sv);
		arg = arg->nd_next;
		p += 1 + cv.cv_len;
	}
}
