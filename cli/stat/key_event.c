/* SPDX-License-Identifier: ISC */
/*
 * Keys of stat: the probe, and how the call ended; and functions that all keys
 * share, a value as text and as JSON.
 */
#include <string.h>

#include "cli/base/esc.h"
#include "cli/decode/args.h"
#include "cli/stat/key_impl.h"

void
key_set_num(struct key_val *v, uint64_t num)
{
	v->kv_what = KEY_NUM;
	v->kv_num = num;
}

void
key_set_str(struct key_val *v, const char *s, size_t len)
{
	v->kv_what = KEY_STR;
	v->kv_str = s;
	v->kv_len = len;
}

void
key_text_num(const struct key_val *v, struct buf *b)
{
	buf_u64(b, v->kv_num);
}

void
key_text_str(const struct key_val *v, struct buf *b)
{
	if (v->kv_len == 0)
		buf_str(b, "\"\"");
	else
		esc_text(b, v->kv_str, v->kv_len);
}

void
key_text_comm(const struct key_val *v, struct buf *b)
{
	esc_text(b, v->kv_str, v->kv_len);
}

void
key_json_bytes(struct buf *b, const char *s, size_t len)
{
	buf_c(b, '"');
	esc_json(b, s, len);
	buf_c(b, '"');
}

void
key_json_str(const struct key_val *v, struct buf *b)
{
	key_json_bytes(b, v->kv_str, v->kv_len);
}

void
key_json_member(const struct key_val *v, struct buf *b, const char *key)
{
	static const char *const sides[] = { "", "from.", "to." };

	buf_str(b, ",\"");
	buf_str(b, sides[v->kv_by->ky_items[v->kv_i].ki_where]);
	buf_str(b, key);
	buf_str(b, "\":");
}

void
key_json_also(const struct key_val *v, struct buf *b, const char *key,
    const char *s)
{
	key_json_member(v, b, key);
	key_json_bytes(b, s, strlen(s));
}

/*
 * The probe
 */

void
key_get_probe(const struct key_call *bc, struct key_val *v)
{
	key_set_num(v, bc->kc_ev->ev_rec->dr_pbn);
}

static const char *
key_probe_name(const struct key_val *v)
{
	const struct probe *pr = name_cache_probe(v->kv_by->ky_names,
	    v->kv_num);

	return pr != NULL ? pr->pr_full : "-";
}

void
key_text_probe(const struct key_val *v, struct buf *b)
{
	const struct probe *pr = name_cache_probe(v->kv_by->ky_names,
	    v->kv_num);
	const struct dtioc_probe_info *pi;

	if (pr == NULL || !name_cache_iscall(v->kv_by->ky_names, v->kv_num)) {
		esc_str(b, key_probe_name(v));
		return;
	}
	pi = &pr->pr_desc.pd_info;
	esc_str(b, pi->dtpi_prov);
	buf_c(b, ':');
	esc_str(b, pi->dtpi_func);
}

void
key_json_probe(const struct key_val *v, struct buf *b)
{
	const char *name = key_probe_name(v);

	key_json_bytes(b, name, strlen(name));
}

/*
 * How the call ended
 */

void
key_get_errno(const struct key_call *bc, struct key_val *v)
{
	if (bc->kc_ret != NULL)
		key_set_num(v, bc->kc_ret->ev_ret->drr_error);
}

void
key_text_errno(const struct key_val *v, struct buf *b)
{
	const char *name = val_errname(v->kv_num);

	if (name != NULL)
		buf_str(b, name);
	else
		key_text_num(v, b);
}

void
key_get_retval(const struct key_call *bc, struct key_val *v)
{
	const struct key_probe *bp;

	if (bc->kc_ret == NULL)
		return;
	key_set_num(v, bc->kc_ret->ev_ret->drr_retval);
	v->kv_class = VAL_S64;
	bp = key_probe(v->kv_by, bc->kc_ret->ev_rec->dr_pbn);
	if (bp != NULL && bc->kc_ret->ev_ret->drr_error == 0)
		v->kv_words = bp->kb_args[v->kv_i].kg_words;
}

void
key_text_retval(const struct key_val *v, struct buf *b)
{
	static const struct dt_rec rec;
	struct dt_rec_ret ret = { .drr_retval = v->kv_num };
	struct dt_event ev = { .ev_rec = &rec, .ev_ret = &ret };
	struct arg_call ac = { .ac_ret = &ev };

	if (v->kv_words != KEY_NOWORDS)
		ac.ac_probe = name_cache_probe(v->kv_by->ky_names, v->kv_words);
	if (ac.ac_probe != NULL)
		arg_ret_text(b, &ac);
	else
		buf_s64(b, v->kv_num);
}

void
key_json_retval(const struct key_val *v, struct buf *b)
{
	buf_s64(b, v->kv_num);
}

void
key_get_duration(const struct key_call *bc, struct key_val *v)
{
	v->kv_class = VAL_U64;
	if (bc->kc_ev->ev_duration != NULL)
		key_set_num(v, *bc->kc_ev->ev_duration);
	else if (bc->kc_entry != NULL && bc->kc_ret != NULL)
		key_set_num(v,
		    bc->kc_ret->ev_rec->dr_time -
			bc->kc_entry->ev_rec->dr_time);
}
