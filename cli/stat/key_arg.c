/* SPDX-License-Identifier: ISC */
/* Keys of stat: arguments of probes, and texts that they point to. */

#include <string.h>

#include "cli/decode/args.h"
#include "cli/stat/key_impl.h"

/* Copies text for a key, which is cut to max bytes. */
static void
key_set_copy(struct key_val *v, const char *s, size_t len, size_t max,
    int iscut)
{
	struct buf *b = &v->kv_by->ky_items[v->kv_i].ki_text;

	if (len > max) {
		len = max;
		while (len > 0 && ((unsigned char)s[len] & 0xc0) == 0x80)
			len--; /* inside of a character */
		iscut = 1;
	}
	if (b->b_data != s) {
		b->b_len = 0;
		buf_mem(b, s, len);
	}
	b->b_len = len;
	if (iscut)
		buf_mem(b, "...", KEY_CUTLEN);
	key_set_str(v, b->b_data, b->b_len);
}

/*
 * Finds the text that an argument points to (argn -1: the first text of any
 * argument).  Returns 1, 0 if there is none, -1 if it could not be read.
 */
static int
key_string(const struct dt_event *ev, int argn, struct key_val *v)
{
	const struct dt_rec_string *s = NULL;
	int found = 0;

	if (ev == NULL)
		return 0;
	while ((s = dt_string(ev, s)) != NULL) {
		if (s->drt_flags & ~DT_STR_RETURN || /* not a plain string */
		    (argn != -1 ? s->drt_argn != argn
				: s->drt_argn == DT_STR_RETVAL))
			continue;
		if (s->drt_error == 0) {
			/*
			 * a damaged recording may claim more than a record can
			 * have
			 */
			if (s->drt_truelen > s->drt_length ||
			    s->drt_length > DT_REC_MAXPATH)
				key_set_copy(v, DT_STRING_BYTES(s),
				    s->drt_length, DT_REC_MAXPATH, 1);
			else
				key_set_str(v, DT_STRING_BYTES(s),
				    s->drt_length);
			return 1;
		}
		found = -1;
		if (argn == -1)
			break; /* the second path is not the first */
	}
	return found;
}

/* Text that could not be read at the entry may be readable at the return. */
static int
key_string_of(const struct key_call *bc, int argn, struct key_val *v)
{
	int entry, ret;

	entry = key_string(bc->kc_entry != NULL ? bc->kc_entry : bc->kc_ev,
	    argn, v);
	if (entry == 1)
		return 1;
	ret = key_string(bc->kc_ret, argn, v);
	return ret != 0 ? ret : entry;
}

/*
 * Returns whether an argument is a descriptor, not AT_FDCWD.  A return has no
 * arguments; but a call with an empty path and AT_FDCWD fails.
 */
static int
key_isdescriptor(const struct dt_event *ev, unsigned int argn)
{
	if (ev->ev_ret != NULL)
		return ev->ev_ret->drr_error == 0;
	return argn < ev->ev_nargs && (int)ev->ev_args[argn] >= 0;
}

/*
 * The path of the first descriptor for which the event has one; or, with
 * anydir, of the working directory.
 */
static int
key_file(const struct dt_event *ev, struct key_val *v, int anydir)
{
	const struct dt_rec_string *s = NULL;

	while (ev != NULL && (s = dt_string(ev, s)) != NULL) {
		if ((s->drt_flags & DT_STR_FILE) == 0 || s->drt_error != 0 ||
		    (!anydir && !key_isdescriptor(ev, s->drt_argn)))
			continue;
		key_set_str(v, DT_STRING_BYTES(s),
		    s->drt_length < DT_REC_MAXPATH ? s->drt_length
						   : DT_REC_MAXPATH);
		return 1;
	}
	return 0;
}

/*
 * The first path of the call; without one, or if it is empty (AT_EMPTY_PATH),
 * the path of its descriptor.
 */
void
key_get_path(const struct key_call *bc, struct key_val *v)
{
	int has = key_string_of(bc, -1, v);

	if (has != 0 && (has != 1 || v->kv_len != 0))
		return;
	if (!key_file(bc->kc_entry != NULL ? bc->kc_entry : bc->kc_ev, v, !has))
		key_file(bc->kc_ret, v, !has);
}

/* The text that a function returns. */
void
key_get_rettext(const struct key_call *bc, struct key_val *v)
{
	if (key_string(bc->kc_ev, DT_STR_RETVAL, v) == 0)
		key_string(bc->kc_ret, DT_STR_RETVAL, v);
}

/* Returns whether an event has the memory that an argument points to. */
static int
key_hasmemory(const struct dt_event *ev, int argn)
{
	const struct dt_rec_string *s = NULL;

	while (ev != NULL && (s = dt_string(ev, s)) != NULL)
		if (s->drt_argn == argn && s->drt_error == 0 &&
		    (s->drt_flags & DT_STR_MORE) == 0)
			return 1;
	return 0;
}

/* Formats the memory of an argument as a record shows it. */
static int
key_decoded(const struct key_call *bc, const struct probe *pr, int argn,
    struct key_val *v)
{
	struct buf *b = &v->kv_by->ky_items[v->kv_i].ki_text;
	struct arg_call ac = {
		.ac_probe = pr,
		.ac_entry = bc->kc_entry,
		.ac_ret = bc->kc_ret,
	};

	if (bc->kc_entry == NULL || arg_evtflags(pr, argn) == 0 ||
	    (!key_hasmemory(bc->kc_entry, argn) &&
		!key_hasmemory(bc->kc_ret, argn)))
		return 0;
	b->b_len = 0;
	arg_text(b, &ac, argn);
	if (b->b_len >= 2 && memcmp(b->b_data, "0x", 2) == 0 &&
	    pr->pr_args[argn] != VAL_NONE)
		return 0; /* prints the address: these bytes are not decoded */
	key_set_copy(v, b->b_data, b->b_len, KEY_TEXTLEN, 0);
	v->kv_words = KEY_DECODED;
	return 1;
}

void
key_get_arg(const struct key_call *bc, struct key_val *v)
{
	const struct dt_event *ev = bc->kc_entry != NULL ? bc->kc_entry
							 : bc->kc_ev;
	const struct key_probe *bp = key_probe(v->kv_by, ev->ev_rec->dr_pbn);
	const struct key_arg *ba;
	int n;

	if (bp == NULL || (ba = &bp->kb_args[v->kv_i])->kg_argn == -1)
		return;
	n = ba->kg_argn;
	if (key_string_of(bc, n, v) != 0 || key_decoded(bc, bp->kb_probe, n, v))
		return;
	if (ev->ev_args == NULL || (unsigned int)n >= ev->ev_nargs ||
	    bp->kb_probe->pr_args[n] == VAL_NONE)
		return;
	key_set_num(v, val_whole(ba->kg_class, ev->ev_args[n]));
	v->kv_class = ba->kg_class;
	v->kv_words = ba->kg_words;
}

void
key_text_arg(const struct key_val *v, struct buf *b)
{
	static const struct dt_rec rec;
	const struct key_probe *bp;
	uint64_t args[DT_REC_NARGS] = { 0 };
	struct dt_event ev = { .ev_rec = &rec, .ev_args = args };
	struct arg_call ac = { .ac_entry = &ev };

	if (v->kv_what == KEY_STR) {
		if (v->kv_words == KEY_DECODED)
			buf_mem(b, v->kv_str, v->kv_len);
		else
			key_text_str(v, b);
		return;
	}
	if ((bp = key_probe(v->kv_by, v->kv_words)) == NULL) {
		key_text_num(v, b);
		return;
	}
	ac.ac_probe = bp->kb_probe;
	ev.ev_nargs = bp->kb_probe->pr_desc.pd_info.dtpi_nargs;
	args[bp->kb_args[v->kv_i].kg_argn] = v->kv_num;
	arg_text(b, &ac, bp->kb_args[v->kv_i].kg_argn);
}

void
key_json_arg(const struct key_val *v, struct buf *b)
{
	const struct key_probe *bp;

	if (v->kv_what == KEY_STR)
		key_json_str(v, b);
	else if ((bp = key_probe(v->kv_by, v->kv_words)) != NULL)
		val_json(b, bp->kb_args[v->kv_i].kg_class, v->kv_num);
	else
		key_text_num(v, b);
}
