/* SPDX-License-Identifier: ISC */
/*
 * Prints the decoded parts of an event: texts, paths, and meanings of
 * arguments.
 */
#include "cli/decode/args.h"
#include "cli/out/json.h"
#include "cli/procs/call_paths.h"
#include "cli/procs/path.h"

/* Starts a member of an object whose key is printed only if it has members. */
static void
json_member(struct buf *b, const char *key, int *isopen, const char *name)
{
	if (!*isopen) {
		json_key(b, key);
		buf_c(b, '{');
	}
	*isopen = 1;
	json_key(b, name);
}

static void
json_members_end(struct buf *b, int isopen)
{
	if (isopen)
		buf_c(b, '}');
}

/* Names are from the kernel or from a recording, so they are untrusted. */
static const char *
json_argname(struct out *out, const struct out_event *oe, unsigned int argn)
{
	static char name[6 * DTNAMESIZE + 1];
	const struct probe *pr = oe->oe_ev->ev_ret != NULL ||
		oe->oe_flags & OUT_PAIRED
	    ? oe->oe_eprobe
	    : oe->oe_probe;
	struct buf *b = &out->out_buf;
	size_t from = b->b_len, n;

	if (pr == NULL || argn >= DT_REC_NARGS) {
		snprintf(name, sizeof(name), "arg%u", argn);
		return name;
	}
	esc_json(b, pr->pr_desc.pd_names[argn].dtan_name,
	    strnlen(pr->pr_desc.pd_names[argn].dtan_name, DTNAMESIZE));
	n = b->b_len - from;
	b->b_len = from;
	memcpy(name, b->b_data + from, n);
	name[n] = '\0';
	return name;
}

/*
 * Prints one string, or the elements of a vector from s on; returns the last.
 */
static const struct dt_rec_string *
json_string(struct buf *b, const struct dt_event *ev,
    const struct dt_rec_string *s)
{
	const struct dt_rec_string *next = s;
	unsigned int argn = s->drt_argn;
	int isvector = (s->drt_flags & (DT_STR_VECTOR | DT_STR_MORE)) != 0;
	const char *sep = "";

	if (isvector)
		buf_c(b, '[');
	for (; next != NULL && next->drt_argn == argn;
	     next = dt_string(ev, next)) {
		s = next;
		if (s->drt_flags & DT_STR_MORE)
			continue;
		buf_str(b, sep);
		sep = ",";
		if (s->drt_error != 0)
			buf_str(b, "null");
		else
			json_bytes(b, DT_STRING_BYTES(s), s->drt_length);
		if (!isvector)
			break;
	}
	if (isvector)
		buf_c(b, ']');
	return s;
}

void
json_strings(struct out *out, const struct out_event *oe, const char *key,
    int isdata)
{
	const struct dt_rec_string *s = NULL;
	struct buf *b = &out->out_buf;
	unsigned int done = 0;
	int isopen = 0;

	while ((s = dt_string(oe->oe_ev, s)) != NULL) {
		if ((s->drt_flags & (DT_STR_MEMORY | DT_STR_FILE)) != 0 ||
		    ((s->drt_flags & DT_STR_DATA) != 0) != isdata ||
		    s->drt_flags & DT_STR_MORE || /* without it: a number */
		    s->drt_argn >= DT_REC_NARGS || done & 1U << s->drt_argn)
			continue;
		done |= 1U << s->drt_argn;
		json_member(b, key, &isopen,
		    json_argname(out, oe, s->drt_argn));
		s = json_string(b, oe->oe_ev, s);
	}
	json_members_end(b, isopen);
}

void
json_cut(struct out *out, const struct out_event *oe)
{
	const struct dt_rec_string *s = NULL;
	struct buf *b = &out->out_buf;
	int isopen = 0;

	while ((s = dt_string(oe->oe_ev, s)) != NULL) {
		if (s->drt_flags & DT_STR_KINDS || s->drt_error != 0 ||
		    s->drt_truelen <= s->drt_length)
			continue;
		json_member(b, "cut", &isopen,
		    json_argname(out, oe, s->drt_argn));
		buf_u64(b, s->drt_truelen);
	}
	json_members_end(b, isopen);
}

void
json_paths(struct out *out, const struct out_event *oe)
{
	const struct call_paths_call sc = {
		.sc_procs = oe->oe_procs,
		.sc_entry = oe->oe_ev->ev_ret != NULL ? oe->oe_entry
						      : oe->oe_ev,
		.sc_ret = oe->oe_ev->ev_ret != NULL ? oe->oe_ev : NULL,
	};
	const struct call_paths *sh = oe->oe_shape;
	struct buf *b = &out->out_buf;
	char path[PATH_JOINED];
	unsigned int i;
	int isopen = 0;
	size_t n;

	for (i = 0; sh != NULL && i < sh->cph_npaths; i++) {
		n = call_paths_path(&sc, sh->cph_paths[i], sh->cph_dirs[i],
		    path, sizeof(path));
		if (n == 0 ||
		    !call_paths_iswhole(
			call_paths_string(&sc, sh->cph_paths[i])))
			continue;
		json_member(b, "path", &isopen,
		    json_argname(out, oe, sh->cph_paths[i]));
		json_bytes(b, path, n);
	}
	json_members_end(b, isopen);
}

/* Escapes what was appended since `from` as the inside of a JSON string. */
static void
json_quote(struct buf *b, size_t from)
{
	size_t n = b->b_len - from, end = b->b_len;

	buf_room(b, 6 * n + 1); /* the source must not move */
	esc_json(b, b->b_data + from, n);
	n = b->b_len - end;
	memmove(b->b_data + from, b->b_data + end, n);
	b->b_len = from + n;
	buf_c(b, '"');
}

/*
 * Prints the text of an argument (argn -1: of the result), unless it is the
 * number.
 */
static void
json_text_of(struct out *out, const struct out_event *oe,
    const struct arg_call *ac, int argn, int *isopen)
{
	struct buf *b = &out->out_buf;
	size_t before = b->b_len, from, end;
	int wasopen = *isopen;

	json_member(b, "text", isopen,
	    argn >= 0 ? json_argname(out, oe, argn) : "retval");
	buf_c(b, '"');
	from = b->b_len;
	if (argn >= 0)
		arg_text(b, ac, argn);
	else
		arg_ret_text(b, ac);
	end = b->b_len;
	if (argn >= 0)
		val_text(b, ac->ac_probe->pr_args[argn],
		    ac->ac_entry->ev_args[argn]);
	else
		val_text(b, ac->ac_rprobe->pr_ret,
		    ac->ac_ret->ev_ret->drr_retval);
	if (b->b_len - end == end - from &&
	    memcmp(b->b_data + from, b->b_data + end, end - from) == 0) {
		b->b_len = before;
		*isopen = wasopen;
		return;
	}
	b->b_len = end;
	json_quote(b, from);
}

/* Returns whether an event has memory or data for an argument. */
static int
json_filled(const struct dt_event *ev, unsigned int argn)
{
	const struct dt_rec_string *s = NULL;

	while ((s = dt_string(ev, s)) != NULL)
		if (s->drt_argn == argn &&
		    (s->drt_flags & (DT_STR_MEMORY | DT_STR_DATA)) != 0)
			return 1;
	return 0;
}

/* Prints the decoded result, and the memory that the call has written. */
static void
json_words_return(struct out *out, const struct out_event *oe, int *isopen)
{
	const struct dt_event *ev = oe->oe_ev;
	struct arg_call ac = {
		.ac_probe = oe->oe_entry != NULL ? oe->oe_eprobe : oe->oe_probe,
		.ac_rprobe = oe->oe_probe,
		.ac_entry = oe->oe_entry,
		.ac_ret = ev,
		.ac_procs = oe->oe_procs,
	};
	unsigned int i;

	if (ev->ev_ret->drr_error == 0 && !ac.ac_rprobe->pr_isvoid)
		json_text_of(out, oe, &ac, -1, isopen);
	if (ac.ac_entry == NULL || oe->oe_flags & OUT_PAIRED)
		return;
	for (i = 0; i < ac.ac_entry->ev_nargs && i < DT_REC_NARGS; i++)
		if (json_filled(ev, i))
			json_text_of(out, oe, &ac, i, isopen);
}

/* Prints the decoded arguments. */
static void
json_words_args(struct out *out, const struct out_event *oe, int *isopen)
{
	int ispaired = (oe->oe_flags & OUT_PAIRED) != 0;
	struct arg_call ac = {
		.ac_probe = ispaired ? oe->oe_eprobe : oe->oe_probe,
		.ac_entry = ispaired ? oe->oe_entry : oe->oe_ev,
		.ac_ret = ispaired ? oe->oe_second : NULL,
		.ac_procs = oe->oe_procs,
	};
	unsigned int i;

	for (i = 0; i < oe->oe_ev->ev_nargs && i < DT_REC_NARGS; i++)
		json_text_of(out, oe, &ac, i, isopen);
}

void
json_words(struct out *out, const struct out_event *oe)
{
	int isopen = 0;

	if (oe->oe_ev->ev_ret != NULL)
		json_words_return(out, oe, &isopen);
	if (oe->oe_ev->ev_args != NULL)
		json_words_args(out, oe, &isopen);
	json_members_end(&out->out_buf, isopen);
}
