/* SPDX-License-Identifier: ISC */
/*
 * Keys of stat: arguments of probes, and texts that they point to.
 */

#include "arg.h"
#include "by_rows.h"

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
			by_set_str(v, DT_STRING_BYTES(s),
			    s->drt_length < DT_REC_MAXPATH ? s->drt_length
							   : DT_REC_MAXPATH);
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

void
by_get_path(const struct by_call *bc, struct by_val *v)
{
	by_string_of(bc, -1, v);
}

void
by_get_arg(const struct by_call *bc, struct by_val *v)
{
	const struct dt_event *ev = bc->bc_entry != NULL ? bc->bc_entry
							 : bc->bc_ev;
	const struct by_probe *bp = by_probe(v->bv_by, ev->ev_rec->dr_pbn);
	const struct by_arg *ba;

	if (bp == NULL || (ba = &bp->bp_args[v->bv_i])->ba_argn == -1)
		return;
	if (by_string_of(bc, ba->ba_argn, v) != 0 || ev->ev_args == NULL ||
	    (unsigned int)ba->ba_argn >= ev->ev_nargs)
		return;
	by_set_num(v, val_whole(ba->ba_class, ev->ev_args[ba->ba_argn]));
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
