/* SPDX-License-Identifier: ISC */
/* Keeps the values of maps by their keys. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_map.h"

#define SMAP_MANY 1024 /* deleted keys that are kept at least */

void
smap_init(struct smap *sm, const struct script_name *sn, size_t max)
{
	*sm = (struct smap){ .sm_name = sn, .sm_max = max };
	buf_init(&sm->sm_key, -1);
	(void)buf_room(&sm->sm_key, 8);
	if (sn->sn_type == ST_HIST)
		sm->sm_nbuckets = SMAP_NLOG;
	else if (sn->sn_type == ST_LHIST)
		sm->sm_nbuckets = 2 +
		    ((uint64_t)sn->sn_lhist[1] - sn->sn_lhist[0] +
			sn->sn_lhist[2] - 1) /
			sn->sn_lhist[2];
}

static void
smap_value_free(void *p)
{
	struct smap_value *smv = p;

	if (smv == NULL)
		return;
	sval_clear(&smv->smv_value);
	free(smv->smv_buckets);
	free(smv);
}

void
smap_clear(struct smap *sm)
{
	dt_hash_free(&sm->sm_hash, smap_value_free);
	sm->sm_hash = (struct hash){ 0 };
	sm->sm_n = 0;
}

void
smap_free(struct smap *sm)
{
	smap_clear(sm);
	buf_free(&sm->sm_key);
}

struct smap_value *
smap_find(const struct smap *sm)
{
	const struct hash_entry *e = hash_find(&sm->sm_hash, sm->sm_key.b_data,
	    sm->sm_key.b_len);

	return e != NULL ? e->he_ptr : NULL;
}

/* Removes deleted keys, which the table keeps, when these are the most. */
static void
smap_compact(struct smap *sm)
{
	struct hash old = sm->sm_hash;
	const struct hash_entry *e;
	size_t i;

	if (old.ha_n < 2 * sm->sm_n + SMAP_MANY)
		return;
	sm->sm_hash = (struct hash){ 0 };
	for (i = 0; i < old.ha_nslots; i++)
		if ((e = old.ha_slots[i].hs_entry) != NULL && e->he_ptr != NULL)
			hash_get(&sm->sm_hash, e->he_key, e->he_keylen)
			    ->he_ptr = e->he_ptr;
	hash_clear(&old);
}

struct smap_value *
smap_get(struct smap *sm)
{
	struct smap_value *smv = smap_find(sm);
	struct hash_entry *e;

	if (smv != NULL)
		return smv;
	if (sm->sm_n >= sm->sm_max) {
		sm->sm_refused++;
		return NULL;
	}
	smap_compact(sm);
	if ((smv = calloc(1, sizeof(*smv))) == NULL ||
	    (sm->sm_nbuckets > 0 &&
		(smv->smv_buckets = calloc(sm->sm_nbuckets,
		     sizeof(*smv->smv_buckets))) == NULL))
		err(1, "map");
	e = hash_get(&sm->sm_hash, sm->sm_key.b_data, sm->sm_key.b_len);
	e->he_ptr = smv;
	sm->sm_n++;
	return smv;
}

void
smap_delete(struct smap *sm)
{
	struct hash_entry *e = hash_find(&sm->sm_hash, sm->sm_key.b_data,
	    sm->sm_key.b_len);

	if (e == NULL || e->he_ptr == NULL)
		return;
	smap_value_free(e->he_ptr);
	e->he_ptr = NULL;
	sm->sm_n--;
}

static void
smap_zero_value(const struct smap *sm, struct smap_value *smv)
{
	uint64_t *buckets = smv->smv_buckets;

	if (smv->smv_value.sv_type != ST_NONE) {
		sval_clear(&smv->smv_value);
		smv->smv_value = SVAL_INT(0);
	}
	if (buckets != NULL)
		memset(buckets, 0, sm->sm_nbuckets * sizeof(*buckets));
	smv->smv_count = 0;
	smv->smv_sum = smv->smv_min = smv->smv_max = 0;
}

void
smap_zero(struct smap *sm)
{
	struct hash_entry *e;
	size_t i;

	for (i = 0; i < sm->sm_hash.ha_nslots; i++) {
		e = sm->sm_hash.ha_slots[i].hs_entry;
		if (e != NULL && e->he_ptr != NULL)
			smap_zero_value(sm, e->he_ptr);
	}
}

/* Returns the number of the bucket of a value. */
static unsigned int
smap_bucket_of(const struct smap *sm, int64_t v)
{
	const int64_t *lh = sm->sm_name->sn_lhist;

	if (sm->sm_name->sn_type == ST_HIST)
		return v < 0 ? 0 : v == 0 ? 1 : 65 - __builtin_clzll(v);
	if (v < lh[0])
		return 0;
	if (v >= lh[1])
		return sm->sm_nbuckets - 1;
	return 1 + ((uint64_t)v - lh[0]) / lh[2];
}

void
smap_bucket(const struct smap *sm, unsigned int i, int64_t *min, int64_t *max)
{
	const int64_t *lh = sm->sm_name->sn_lhist;

	if (sm->sm_name->sn_type == ST_HIST) {
		*min = i == 0 ? INT64_MIN : i == 1 ? 0 : INT64_C(1) << (i - 2);
		*max = i == 0 ? -1 : i == 1 ? 0 : *min + (*min - 1);
		return;
	}
	*min = i == 0 ? INT64_MIN
		      : (int64_t)(lh[0] + (uint64_t)(i - 1) * lh[2]);
	*max = i == sm->sm_nbuckets - 1 ? INT64_MAX
	    : i == 0			? (int64_t)((uint64_t)lh[0] - 1)
					: (int64_t)((uint64_t)*min + lh[2] - 1);
	if (i == sm->sm_nbuckets - 1)
		*min = lh[1];
}

void
smap_add(struct smap *sm, struct smap_value *smv, uint64_t n, int64_t sum,
    int64_t value, int64_t min, int64_t max)
{
	if (smv->smv_count == 0 || min < smv->smv_min)
		smv->smv_min = min;
	if (smv->smv_count == 0 || max > smv->smv_max)
		smv->smv_max = max;
	smv->smv_count += n;
	smv->smv_sum = (uint64_t)smv->smv_sum + sum;
	if (smv->smv_buckets != NULL)
		smv->smv_buckets[smap_bucket_of(sm, value)] += n;
}

struct sval
smap_read(const struct smap *sm, const struct smap_value *smv)
{
	if (smv == NULL)
		return (struct sval){ .sv_type = ST_NONE };
	switch (sm->sm_name->sn_type) {
	case ST_SUM:
		return SVAL_INT(smv->smv_sum);
	case ST_MIN:
		return SVAL_INT(smv->smv_min);
	case ST_MAX:
		return SVAL_INT(smv->smv_max);
	case ST_AVG:
		return SVAL_INT(smv->smv_count > 0
			? smv->smv_sum / (int64_t)smv->smv_count
			: 0);
	case ST_COUNT:
	case ST_STATS:
	case ST_HIST:
	case ST_LHIST:
		return SVAL_INT(smv->smv_count);
	default:
		return smv->smv_value;
	}
}

/* Rows */

static int
smap_row_order(const void *a, const void *b, void *arg)
{
	const struct smap_row *x = a, *y = b;
	const struct smap *sm = arg;
	struct sval vx = smap_read(sm, x->smr_value);
	struct sval vy = smap_read(sm, y->smr_value);
	unsigned int i;
	int r = 0;

	if (vx.sv_type == ST_INT && vy.sv_type == ST_INT)
		r = sval_compare(&vx, &vy);
	if (sm->sm_name->sn_type == ST_STATS)
		r = x->smr_value->smv_sum < y->smr_value->smv_sum
		    ? -1
		    : x->smr_value->smv_sum > y->smr_value->smv_sum;
	for (i = 0; r == 0 && i < sm->sm_name->sn_nkeys; i++)
		r = sval_compare(&x->smr_keys[i], &y->smr_keys[i]);
	return r;
}

/* Returns how many values the elements of tuples in a packed key take. */
static size_t
smap_key_values(const struct hash_entry *e)
{
	return e->he_keylen / 24 + 1; /* each has a head */
}

struct smap_row *
smap_rows(const struct smap *sm, size_t *n)
{
	const struct hash_entry *e;
	struct smap_row *rows;
	struct sval *vals;
	size_t i, k = 0, nvals = 1, used = 0;
	unsigned int j, ntuple;
	const char *p;

	for (i = 0; i < sm->sm_hash.ha_nslots; i++)
		if ((e = sm->sm_hash.ha_slots[i].hs_entry) != NULL &&
		    e->he_ptr != NULL)
			nvals += smap_key_values(e);
	rows = malloc(sm->sm_n * sizeof(*rows) + nvals * sizeof(*vals));
	if (rows == NULL)
		err(1, "map");
	vals = (struct sval *)(rows + sm->sm_n);
	for (i = 0; i < sm->sm_hash.ha_nslots; i++) {
		e = sm->sm_hash.ha_slots[i].hs_entry;
		if (e == NULL || e->he_ptr == NULL)
			continue;
		p = (const char *)e->he_key;
		ntuple = sm->sm_name->sn_nkeys;
		for (j = 0; j < sm->sm_name->sn_nkeys; j++)
			p += sval_unpack(p, &vals[used + j], vals + used,
			    &ntuple);
		rows[k++] = (struct smap_row){ vals + used, e->he_ptr };
		used += smap_key_values(e);
	}
	qsort_r(rows, k, sizeof(*rows), smap_row_order, (void *)(uintptr_t)sm);
	*n = k;
	return rows;
}
