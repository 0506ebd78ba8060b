/* SPDX-License-Identifier: ISC */
/*
 * Prints the decoded parts of an event: texts, paths, and meanings of
 * arguments.
 */
#include "cli/out/out_json.h"

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
json_argname(struct out *out, const struct call *cl, unsigned int argn)
{
	static char name[6 * DTNAMESIZE + 1];
	const struct probe *pr = cl->cal_ev->ev_ret != NULL ||
		cl->cal_flags & CALL_PAIRED
	    ? cl->cal_eprobe
	    : cl->cal_probe;
	struct buf *b = &out->out_buf;
	size_t from = b->b_len, n;

	if (argn == DT_STR_RETVAL)
		return "retval";
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
json_strings(struct out *out, const struct call *cl, const char *key,
    int isdata)
{
	const struct dt_rec_string *s = NULL;
	struct buf *b = &out->out_buf;
	unsigned int done = 0, bit;
	int isopen = 0;

	while ((s = dt_string(cl->cal_ev, s)) != NULL) {
		bit = s->drt_argn == DT_STR_RETVAL ? 31 : s->drt_argn;
		if ((s->drt_flags & (DT_STR_MEMORY | DT_STR_FILE)) != 0 ||
		    ((s->drt_flags & DT_STR_DATA) != 0) != isdata ||
		    s->drt_flags & DT_STR_MORE || /* without it: a number */
		    (bit >= DT_REC_NARGS && bit != 31) || done & 1U << bit)
			continue;
		done |= 1U << bit;
		json_member(b, key, &isopen,
		    json_argname(out, cl, s->drt_argn));
		s = json_string(b, cl->cal_ev, s);
	}
	json_members_end(b, isopen);
}

void
json_cut(struct out *out, const struct call *cl)
{
	const struct dt_rec_string *s = NULL;
	struct buf *b = &out->out_buf;
	int isopen = 0;

	while ((s = dt_string(cl->cal_ev, s)) != NULL) {
		if (s->drt_flags & DT_STR_KINDS || s->drt_error != 0 ||
		    s->drt_truelen <= s->drt_length)
			continue;
		json_member(b, "cut", &isopen,
		    json_argname(out, cl, s->drt_argn));
		buf_u64(b, s->drt_truelen);
	}
	json_members_end(b, isopen);
}

void
json_paths(struct out *out, const struct call *cl)
{
	const struct call_text *ct;
	struct buf *b = &out->out_buf;
	unsigned int i;
	int isopen = 0;

	for (i = 0; cl->cal_haspaths >> i != 0; i++) {
		if ((cl->cal_haspaths >> i & 1) == 0)
			continue;
		ct = &cl->cal_paths[i];
		json_member(b, "path", &isopen, json_argname(out, cl, i));
		json_bytes(b, cl->cal_text + ct->clt_from, ct->clt_len);
	}
	json_members_end(b, isopen);
}

/* Prints a text, unless it is the number itself. */
static void
json_text_of(struct buf *b, const struct call *cl, const struct call_text *ct,
    const char *name, enum val_class kind, uint64_t v, int *isopen)
{
	const char *text = cl->cal_text + ct->clt_from;
	size_t from = b->b_len;
	int isnumber;

	val_text(b, kind, v);
	isnumber = b->b_len - from == ct->clt_len &&
	    memcmp(b->b_data + from, text, ct->clt_len) == 0;
	b->b_len = from;
	if (isnumber)
		return;
	json_member(b, "text", isopen, name);
	json_bytes(b, text, ct->clt_len);
}

void
json_words(struct out *out, const struct call *cl)
{
	const struct dt_event *entry = cl->cal_entry != NULL ? cl->cal_entry
							     : cl->cal_ev;
	const struct probe *pr = cl->cal_entry != NULL ? cl->cal_eprobe
						       : cl->cal_probe;
	struct buf *b = &out->out_buf;
	unsigned int i;
	int isopen = 0;

	if (cl->cal_hasret)
		json_text_of(b, cl, &cl->cal_ret, "retval",
		    cl->cal_probe->pr_ret, cl->cal_ev->ev_ret->drr_retval,
		    &isopen);
	for (i = 0; cl->cal_hasargs >> i != 0; i++)
		if (cl->cal_hasargs >> i & 1)
			json_text_of(b, cl, &cl->cal_args[i],
			    json_argname(out, cl, i), pr->pr_args[i],
			    entry->ev_args[i], &isopen);
	json_members_end(b, isopen);
}
