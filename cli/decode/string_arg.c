/* SPDX-License-Identifier: ISC */
/*
 * Strings that the record has for an argument: paths, names, and the argument
 * vector of a program.  Without the string, the address is printed.
 */
#include "cli/base/esc.h"
#include "cli/base/event_text.h"
#include "cli/decode/kind.h"

const struct dt_rec_string *
arg_string(const struct arg_call *ac, unsigned int argn)
{
	return event_text(ac->ac_entry, ac->ac_ret, argn);
}

void
arg_put_str(struct buf *b, const char *str, size_t len, int cut)
{
	buf_c(b, '"');
	esc_quoted(b, str, len);
	buf_c(b, '"');
	if (cut)
		buf_mem(b, "...", 3);
}

void
arg_put_string(struct buf *b, const struct dt_rec_string *s)
{
	arg_put_str(b, DT_STRING_BYTES(s), s->drt_length,
	    s->drt_length < s->drt_truelen);
}

void
arg_str_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	const struct dt_rec_string *s = arg_string(ac, argn);

	(void)ak;
	if (s != NULL)
		arg_put_string(b, s);
	else
		arg_put_ptr(b, v);
}

/* Prints the elements of one event; returns 0 if it has none. */
static int
argv_put(struct buf *b, const struct dt_event *ev, unsigned int argn)
{
	const struct dt_rec_string *s = NULL;
	int n = 0;

	if (ev == NULL)
		return 0;
	while ((s = dt_string(ev, s)) != NULL) {
		if (s->drt_argn != argn ||
		    (s->drt_flags & (DT_STR_VECTOR | DT_STR_MORE)) == 0)
			continue;
		if (n++ == 0)
			buf_c(b, '[');
		else
			buf_mem(b, ", ", 2);
		if (s->drt_flags & DT_STR_MORE)
			buf_mem(b, "...", 3);
		else if (s->drt_error != 0)
			buf_c(b, '?'); /* an unreadable pointer */
		else
			arg_put_string(b, s);
	}
	if (n > 0)
		buf_c(b, ']');
	return n;
}

void
arg_argv_text(struct buf *b, const struct arg_call *ac, unsigned int argn,
    uint64_t v, const struct arg_kind *ak)
{
	(void)ak;
	if (argv_put(b, ac->ac_entry, argn) == 0 &&
	    argv_put(b, ac->ac_ret, argn) == 0)
		arg_put_ptr(b, v);
}
