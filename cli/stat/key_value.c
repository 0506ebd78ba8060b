/* SPDX-License-Identifier: ISC */
/*
 * The bytes that stand for the values of an event.
 *
 * They are hashed and compared whole, so they have no gaps.  A word says which
 * values lack and which are strings, then come the numbers, or lengths, then
 * the strings; but those of the default keys are a struct by_short.
 */
#include <string.h>

#include "cli/stat/key_table.h"

/* The word in front of a long one: a bit a key. */
#define BY_HAS(i)   (UINT64_C(1) << (i))
#define BY_ISSTR(i) (UINT64_C(1) << (32 + (i)))

size_t
by_key(struct by *by, const struct by_call *bc, void *key)
{
	struct by_val vals[BY_MAXKEYS], *v;
	uint64_t *word = key, *has = word;
	unsigned int i;
	char *p;

	if (by->by_isdefault) {
		by_key_short(bc->bc_ev, key);
		return sizeof(struct by_short);
	}
	*word++ = 0;
	for (i = 0; i < by->by_n; i++) {
		v = &vals[i];
		v->bv_by = by;
		v->bv_i = i;
		v->bv_what = BY_NONE;
		v->bv_num = v->bv_len = 0;
		v->bv_words = BY_NOWORDS;
		by_get(&by->by_items[i], bc, v);
		if (v->bv_what != BY_NONE)
			*has |= BY_HAS(i);
		if (v->bv_what == BY_STR)
			*has |= BY_ISSTR(i);
		*word++ = v->bv_what == BY_STR ? v->bv_len : v->bv_num;
		*word++ = v->bv_words;
	}
	for (i = 0, p = (char *)word; i < by->by_n; i++) {
		if (vals[i].bv_what != BY_STR)
			continue;
		memcpy(p, vals[i].bv_str, vals[i].bv_len);
		p += vals[i].bv_len;
	}
	return p - (char *)key;
}

static void
by_vals_short(struct by *by, const void *key, struct by_val *vals)
{
	const struct by_short *bs = key;
	unsigned int i;

	for (i = 0; i < by->by_n; i++)
		vals[i] = (struct by_val){ .bv_by = by, .bv_i = i };
	vals[0].bv_what = vals[1].bv_what = BY_NUM;
	vals[0].bv_num = bs->bs_pbn;
	vals[1].bv_num = bs->bs_pid;
	vals[2].bv_what = BY_STR;
	vals[2].bv_str = bs->bs_comm;
	vals[2].bv_len = strnlen(bs->bs_comm, sizeof(bs->bs_comm));
}

void
by_vals(struct by *by, const void *key, struct by_val *vals)
{
	const uint64_t *word = key, has = *word++;
	const char *p = (const char *)(word + 2 * by->by_n);
	unsigned int i;

	if (by->by_isdefault) {
		by_vals_short(by, key, vals);
		return;
	}
	for (i = 0; i < by->by_n; i++, word += 2) {
		vals[i] = (struct by_val){ .bv_by = by,
			.bv_i = i,
			.bv_num = word[0],
			.bv_words = word[1] };
		if (!(has & BY_HAS(i)))
			continue;
		vals[i].bv_what = BY_NUM;
		if (!(has & BY_ISSTR(i)))
			continue;
		vals[i].bv_what = BY_STR;
		vals[i].bv_len = word[0];
		vals[i].bv_str = p;
		p += vals[i].bv_len;
	}
}

int
by_sum(struct by *by, const struct by_call *bc, int64_t *sum)
{
	struct by_val v = { .bv_by = by, .bv_i = BY_SUM };
	const struct by_kind *kind = by->by_items[BY_SUM].bi_kind;

	if (!by->by_hassum ||
	    (bc->bc_ret != NULL && bc->bc_ret->ev_ret->drr_error != 0 &&
		!kind->bk_offailed))
		return 0;
	kind->bk_get(bc, &v);
	if (v.bv_what != BY_NUM)
		return 0;
	*sum = val_amount(v.bv_class, v.bv_num);
	return 1;
}

void
by_keep(struct by *by, const void *key)
{
	struct by_val vals[BY_MAXKEYS];
	const struct by_kind *kind;
	unsigned int i;

	for (i = 0; i < by->by_n; i++) {
		kind = by->by_items[i].bi_kind;
		if (kind->bk_keep == NULL)
			continue;
		by_vals(by, key, vals);
		if (vals[i].bv_what == BY_NUM)
			kind->bk_keep(&vals[i]);
	}
}

static int
by_compare_vals(const struct by_val *a, const struct by_val *b)
{
	size_t n = a->bv_len < b->bv_len ? a->bv_len : b->bv_len;
	int c;

	if (a->bv_what == BY_NONE || b->bv_what == BY_NONE) /* is last */
		return (a->bv_what == BY_NONE) - (b->bv_what == BY_NONE);
	if (a->bv_what != b->bv_what)
		return a->bv_what == BY_NUM ? -1 : 1;
	if (a->bv_what == BY_STR && (c = memcmp(a->bv_str, b->bv_str, n)) != 0)
		return c;
	if (a->bv_what == BY_STR)
		return (a->bv_len > b->bv_len) - (a->bv_len < b->bv_len);
	if (a->bv_num != b->bv_num)
		return (int64_t)a->bv_num < (int64_t)b->bv_num ? -1 : 1;
	return (a->bv_words > b->bv_words) - (a->bv_words < b->bv_words);
}

/* The short ones as they have been since there is stat: by process. */
static int
by_compare_short(const uint64_t *a, const uint64_t *b)
{
	size_t i;

	for (i = 0; i < sizeof(struct by_short) / sizeof(*a); i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

int
by_compare(struct by *by, const void *key1, const void *key2)
{
	struct by_val a[BY_MAXKEYS], b[BY_MAXKEYS];
	unsigned int i;
	int c = 0;

	if (by->by_isdefault)
		return by_compare_short(key1, key2);
	by_vals(by, key1, a);
	by_vals(by, key2, b);
	for (i = 0; i < by->by_n && c == 0; i++)
		c = by_compare_vals(&a[i], &b[i]);
	return c;
}
