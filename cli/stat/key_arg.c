/* SPDX-License-Identifier: ISC */
/*
 * Keys of stat: arguments of probes, and texts that they point to.
 */

#include <string.h>

#include "cli/decode/args.h"
#include "cli/stat/key_rows.h"

/* A copy of what a key is made of, which may be cut to max bytes. */
static void
by_set_copy(struct by_val *v, const char *s, size_t len, size_t max, int iscut)
{
	struct buf *b = &v->bv_by->by_items[v->bv_i].bi_text;

	if (len > max) {
		len = max;
		while (len > 0 && ((unsigned char)s[len] & 0xc0) == 0x80)
			len--; /* within a character */
		iscut = 1;
	}
	if (b->b_data != s) {
		b->b_len = 0;
		buf_mem(b, s, len);
	}
	b->b_len = len;
	if (iscut)
		buf_mem(b, "...", BY_CUTLEN);
	by_set_str(v, b->b_data, b->b_len);
}

/*
 * The text that an argument points to (argn -1: that any does first): 1, 0 if
 * there is none, -1 if it could not be read.
 */
static int
by_string(const struct dt_event *ev, int argn, struct by_val *v)
{
	const struct dt_rec_string *s = NULL;
	int found = 0;

	if (ev == NULL)
		return 0;
	while ((s = dt_string(ev, s)) != NULL) {
		if (s->drt_flags & ~DT_STR_RETURN || /* no plain string */
		    (argn != -1 && s->drt_argn != argn))
			continue;
		if (s->drt_error == 0) {
			/* a recording may say more than a record can have */
			if (s->drt_truelen > s->drt_length ||
			    s->drt_length > DT_REC_MAXPATH)
				by_set_copy(v, DT_STRING_BYTES(s),
				    s->drt_length, DT_REC_MAXPATH, 1);
			else
				by_set_str(v, DT_STRING_BYTES(s),
				    s->drt_length);
			return 1;
		}
		found = -1;
		if (argn == -1)
			break; /* the second path is not the first */
	}
	return found;
}

/* What could not be read at the entry may be there when the call returns. */
static int
by_string_of(const struct by_call *bc, int argn, struct by_val *v)
{
	int entry, ret;

	entry = by_string(bc->bc_entry != NULL ? bc->bc_entry : bc->bc_ev, argn,
	    v);
	if (entry == 1)
		return 1;
	ret = by_string(bc->bc_ret, argn, v);
	return ret != 0 ? ret : entry;
}

/* The path of the first descriptor that an event has one of. */
static int
by_file(const struct dt_event *ev, struct by_val *v)
{
	const struct dt_rec_string *s = NULL;

	while (ev != NULL && (s = dt_string(ev, s)) != NULL) {
		if ((s->drt_flags & DT_STR_FILE) == 0 || s->drt_error != 0)
			continue;
		by_set_str(v, DT_STRING_BYTES(s),
		    s->drt_length < DT_REC_MAXPATH ? s->drt_length
						   : DT_REC_MAXPATH);
		return 1;
	}
	return 0;
}

/* The first path of the call; without one, the file that it is about. */
void
by_get_path(const struct by_call *bc, struct by_val *v)
{
	if (by_string_of(bc, -1, v) != 0 ||
	    by_file(bc->bc_entry != NULL ? bc->bc_entry : bc->bc_ev, v))
		return;
	by_file(bc->bc_ret, v);
}

/* Whether an event has what an argument points to: bytes, not their number. */
static int
by_hasmemory(const struct dt_event *ev, int argn)
{
	const struct dt_rec_string *s = NULL;

	while (ev != NULL && (s = dt_string(ev, s)) != NULL)
		if (s->drt_argn == argn && s->drt_error == 0 &&
		    (s->drt_flags & DT_STR_MORE) == 0)
			return 1;
	return 0;
}

/* The argument as a record shows it, if that is what it points to. */
static int
by_decoded(const struct by_call *bc, const struct probe *pr, int argn,
    struct by_val *v)
{
	struct buf *b = &v->bv_by->by_items[v->bv_i].bi_text;
	struct arg_call ac = {
		.ac_probe = pr,
		.ac_entry = bc->bc_entry,
		.ac_ret = bc->bc_ret,
	};

	if (bc->bc_entry == NULL || arg_evtflags(pr, argn) == 0 ||
	    (!by_hasmemory(bc->bc_entry, argn) &&
		!by_hasmemory(bc->bc_ret, argn)))
		return 0;
	b->b_len = 0;
	arg_text(b, &ac, argn);
	if (b->b_len >= 2 && memcmp(b->b_data, "0x", 2) == 0 &&
	    pr->pr_args[argn] != VAL_NONE)
		return 0; /* the address: these bytes are not shown */
	by_set_copy(v, b->b_data, b->b_len, BY_TEXTLEN, 0);
	v->bv_words = BY_DECODED;
	return 1;
}

void
by_get_arg(const struct by_call *bc, struct by_val *v)
{
	const struct dt_event *ev = bc->bc_entry != NULL ? bc->bc_entry
							 : bc->bc_ev;
	const struct by_probe *bp = by_probe(v->bv_by, ev->ev_rec->dr_pbn);
	const struct by_arg *ba;
	int n;

	if (bp == NULL || (ba = &bp->bp_args[v->bv_i])->ba_argn == -1)
		return;
	n = ba->ba_argn;
	if (by_string_of(bc, n, v) != 0 || by_decoded(bc, bp->bp_probe, n, v))
		return;
	if (ev->ev_args == NULL || (unsigned int)n >= ev->ev_nargs ||
	    bp->bp_probe->pr_args[n] == VAL_NONE)
		return;
	by_set_num(v, val_whole(ba->ba_class, ev->ev_args[n]));
	v->bv_class = ba->ba_class;
	v->bv_words = ba->ba_words;
}

void
by_text_arg(const struct by_val *v, struct buf *b)
{
	static const struct dt_rec rec;
	const struct by_probe *bp;
	uint64_t args[DT_REC_NARGS] = { 0 };
	struct dt_event ev = { .ev_rec = &rec, .ev_args = args };
	struct arg_call ac = { .ac_entry = &ev };

	if (v->bv_what == BY_STR) {
		if (v->bv_words == BY_DECODED)
			buf_mem(b, v->bv_str, v->bv_len);
		else
			by_text_str(v, b);
		return;
	}
	if ((bp = by_probe(v->bv_by, v->bv_words)) == NULL) {
		by_text_num(v, b);
		return;
	}
	ac.ac_probe = bp->bp_probe;
	ev.ev_nargs = bp->bp_probe->pr_desc.pd_info.dtpi_nargs;
	args[bp->bp_args[v->bv_i].ba_argn] = v->bv_num;
	arg_text(b, &ac, bp->bp_args[v->bv_i].ba_argn);
}

void
by_json_arg(const struct by_val *v, struct buf *b)
{
	const struct by_probe *bp;

	if (v->bv_what == BY_STR)
		by_json_str(v, b);
	else if ((bp = by_probe(v->bv_by, v->bv_words)) != NULL)
		val_json(b, bp->bp_args[v->bv_i].ba_class, v->bv_num);
	else
		by_text_num(v, b);
}
