/* SPDX-License-Identifier: ISC */
/*
 * Builds the key bytes for the values of an event.
 *
 * They are hashed and compared as a whole, so they have no gaps.  The first
 * word has bits for missing values and for strings; then follow the numbers or
 * lengths, then the strings.  The default keys are a struct key_short.
 */
#include <string.h>

#include "cli/stat/key_impl.h"

/* First word of a long key: a bit per value. */
#define KEY_HAS(i)   (UINT64_C(1) << (i))
#define KEY_ISSTR(i) (UINT64_C(1) << (32 + (i)))

size_t
key_make(struct keys *by, const struct key_call *bc, void *key)
{
	struct key_val vals[KEY_MAXKEYS], *v;
	uint64_t *word = key, *has = word;
	unsigned int i;
	char *p;

	if (by->ky_isdefault) {
		key_make_short(bc->kc_ev, key);
		return sizeof(struct key_short);
	}
	*word++ = 0;
	for (i = 0; i < by->ky_n; i++) {
		v = &vals[i];
		v->kv_by = by;
		v->kv_i = i;
		v->kv_what = KEY_NONE;
		v->kv_num = v->kv_len = 0;
		v->kv_words = KEY_NOWORDS;
		key_get(&by->ky_items[i], bc, v);
		if (v->kv_what != KEY_NONE)
			*has |= KEY_HAS(i);
		if (v->kv_what == KEY_STR)
			*has |= KEY_ISSTR(i);
		*word++ = v->kv_what == KEY_STR ? v->kv_len : v->kv_num;
		*word++ = v->kv_words;
	}
	for (i = 0, p = (char *)word; i < by->ky_n; i++) {
		if (vals[i].kv_what != KEY_STR)
			continue;
		memcpy(p, vals[i].kv_str, vals[i].kv_len);
		p += vals[i].kv_len;
	}
	return p - (char *)key;
}

static void
key_vals_short(struct keys *by, const void *key, struct key_val *vals)
{
	const struct key_short *bs = key;
	unsigned int i;

	for (i = 0; i < by->ky_n; i++)
		vals[i] = (struct key_val){ .kv_by = by, .kv_i = i };
	vals[0].kv_what = vals[1].kv_what = KEY_NUM;
	vals[0].kv_num = bs->kh_pbn;
	vals[1].kv_num = bs->kh_pid;
	vals[2].kv_what = KEY_STR;
	vals[2].kv_str = bs->kh_comm;
	vals[2].kv_len = strnlen(bs->kh_comm, sizeof(bs->kh_comm));
}

void
key_vals(struct keys *by, const void *key, struct key_val *vals)
{
	const uint64_t *word = key, has = *word++;
	const char *p = (const char *)(word + 2 * by->ky_n);
	unsigned int i;

	if (by->ky_isdefault) {
		key_vals_short(by, key, vals);
		return;
	}
	for (i = 0; i < by->ky_n; i++, word += 2) {
		vals[i] = (struct key_val){ .kv_by = by,
			.kv_i = i,
			.kv_num = word[0],
			.kv_words = word[1] };
		if (!(has & KEY_HAS(i)))
			continue;
		vals[i].kv_what = KEY_NUM;
		if (!(has & KEY_ISSTR(i)))
			continue;
		vals[i].kv_what = KEY_STR;
		vals[i].kv_len = word[0];
		vals[i].kv_str = p;
		p += vals[i].kv_len;
	}
}

int
key_sum(struct keys *by, const struct key_call *bc, int64_t *sum)
{
	struct key_val v = { .kv_by = by, .kv_i = KEY_SUM };
	const struct key_kind *kind = by->ky_items[KEY_SUM].ki_kind;

	if (!by->ky_hassum ||
	    (bc->kc_ret != NULL && bc->kc_ret->ev_ret->drr_error != 0 &&
		!kind->kki_offailed))
		return 0;
	kind->kki_get(bc, &v);
	if (v.kv_what != KEY_NUM)
		return 0;
	*sum = val_amount(v.kv_class, v.kv_num);
	return 1;
}

void
key_keep(struct keys *by, const void *key)
{
	struct key_val vals[KEY_MAXKEYS];
	const struct key_kind *kind;
	unsigned int i;

	for (i = 0; i < by->ky_n; i++) {
		kind = by->ky_items[i].ki_kind;
		if (kind->kki_keep == NULL)
			continue;
		key_vals(by, key, vals);
		if (vals[i].kv_what == KEY_NUM)
			kind->kki_keep(&vals[i]);
	}
}

static int
key_compare_vals(const struct key_val *a, const struct key_val *b)
{
	size_t n = a->kv_len < b->kv_len ? a->kv_len : b->kv_len;
	int c;

	if (a->kv_what == KEY_NONE || b->kv_what == KEY_NONE) /* sorts last */
		return (a->kv_what == KEY_NONE) - (b->kv_what == KEY_NONE);
	if (a->kv_what != b->kv_what)
		return a->kv_what == KEY_NUM ? -1 : 1;
	if (a->kv_what == KEY_STR && (c = memcmp(a->kv_str, b->kv_str, n)) != 0)
		return c;
	if (a->kv_what == KEY_STR)
		return (a->kv_len > b->kv_len) - (a->kv_len < b->kv_len);
	if (a->kv_num != b->kv_num)
		return (int64_t)a->kv_num < (int64_t)b->kv_num ? -1 : 1;
	if (a->kv_words == b->kv_words)
		return 0;
	return key_format_order(a->kv_by, a->kv_i, a->kv_words) <
		key_format_order(b->kv_by, b->kv_i, b->kv_words)
	    ? -1
	    : 1;
}

/* Orders the default keys by process. */
static int
key_compare_short(const uint64_t *a, const uint64_t *b)
{
	size_t i;

	for (i = 0; i < sizeof(struct key_short) / sizeof(*a); i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

int
key_compare(struct keys *by, const void *key1, const void *key2)
{
	struct key_val a[KEY_MAXKEYS], b[KEY_MAXKEYS];
	unsigned int i;
	int c = 0;

	if (by->ky_isdefault)
		return key_compare_short(key1, key2);
	key_vals(by, key1, a);
	key_vals(by, key2, b);
	for (i = 0; i < by->ky_n && c == 0; i++)
		c = key_compare_vals(&a[i], &b[i]);
	return c;
}
