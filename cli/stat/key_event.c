/* SPDX-License-Identifier: ISC */
/*
 * Keys of stat: which probe, and how the call ended; and what all keys share, a
 * value as text and as JSON.
 */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/decode/args.h"
#include "cli/stat/key_rows.h"

void
by_set_num(struct by_val *v, uint64_t num)
{
	v->bv_what = BY_NUM;
	v->bv_num = num;
}

void
by_set_str(struct by_val *v, const char *s, size_t len)
{
	v->bv_what = BY_STR;
	v->bv_str = s;
	v->bv_len = len;
}

void
by_text_num(const struct by_val *v, struct buf *b)
{
	buf_u64(b, v->bv_num);
}

void
by_text_str(const struct by_val *v, struct buf *b)
{
	if (v->bv_len == 0)
		buf_str(b, "\"\"");
	else
		esc_text(b, v->bv_str, v->bv_len);
}

void
by_text_comm(const struct by_val *v, struct buf *b)
{
	esc_text(b, v->bv_str, v->bv_len);
}

void
by_json_bytes(struct buf *b, const char *s, size_t len)
{
	buf_c(b, '"');
	esc_json(b, s, len);
	buf_c(b, '"');
}

void
by_json_str(const struct by_val *v, struct buf *b)
{
	by_json_bytes(b, v->bv_str, v->bv_len);
}

void
by_json_member(const struct by_val *v, struct buf *b, const char *key)
{
	static const char *const sides[] = { "", "from.", "to." };

	buf_str(b, ",\"");
	buf_str(b, sides[v->bv_by->by_items[v->bv_i].bi_where]);
	buf_str(b, key);
	buf_str(b, "\":");
}

void
by_json_also(const struct by_val *v, struct buf *b, const char *key,
    const char *s)
{
	by_json_member(v, b, key);
	by_json_bytes(b, s, strlen(s));
}

/*
 * The probe
 */

void
by_get_probe(const struct by_call *bc, struct by_val *v)
{
	by_set_num(v, bc->bc_ev->ev_rec->dr_pbn);
}

static const char *
by_probe_name(const struct by_val *v)
{
	const struct probe *pr = names_probe(v->bv_by->by_names, v->bv_num);

	return pr != NULL ? pr->pr_full : "-";
}

void
by_text_probe(const struct by_val *v, struct buf *b)
{
	esc_str(b, by_probe_name(v));
}

void
by_json_probe(const struct by_val *v, struct buf *b)
{
	const char *name = by_probe_name(v);

	by_json_bytes(b, name, strlen(name));
}

/*
 * How the call ended
 */

void
by_get_errno(const struct by_call *bc, struct by_val *v)
{
	if (bc->bc_ret != NULL)
		by_set_num(v, bc->bc_ret->ev_ret->drr_error);
}

void
by_text_errno(const struct by_val *v, struct buf *b)
{
	const char *name = val_errname(v->bv_num);

	if (name != NULL)
		buf_str(b, name);
	else
		by_text_num(v, b);
}

void
by_get_retval(const struct by_call *bc, struct by_val *v)
{
	const struct by_probe *bp;

	if (bc->bc_ret == NULL)
		return;
	by_set_num(v, bc->bc_ret->ev_ret->drr_retval);
	v->bv_class = VAL_S64;
	bp = by_probe(v->bv_by, bc->bc_ret->ev_rec->dr_pbn);
	if (bp != NULL && bc->bc_ret->ev_ret->drr_error == 0)
		v->bv_words = bp->bp_args[v->bv_i].ba_words;
}

void
by_text_retval(const struct by_val *v, struct buf *b)
{
	static const struct dt_rec rec;
	struct dt_rec_ret ret = { .drr_retval = v->bv_num };
	struct dt_event ev = { .ev_rec = &rec, .ev_ret = &ret };
	struct arg_call ac = { .ac_ret = &ev };

	if (v->bv_words != BY_NOWORDS)
		ac.ac_probe = names_probe(v->bv_by->by_names, v->bv_words);
	if (ac.ac_probe != NULL)
		arg_ret_text(b, &ac);
	else
		buf_s64(b, v->bv_num);
}

void
by_json_retval(const struct by_val *v, struct buf *b)
{
	buf_s64(b, v->bv_num);
}

void
by_get_duration(const struct by_call *bc, struct by_val *v)
{
	v->bv_class = VAL_U64;
	if (bc->bc_ev->ev_duration != NULL)
		by_set_num(v, *bc->bc_ev->ev_duration);
	else if (bc->bc_entry != NULL && bc->bc_ret != NULL)
		by_set_num(v,
		    bc->bc_ret->ev_rec->dr_time -
			bc->bc_entry->ev_rec->dr_time);
}
