/* SPDX-License-Identifier: ISC */
/*
 * A hash table with open addressing and linear probing.  An empty table is all
 * zeros.
 */
#include <stdlib.h>

#include "lib/hash.h"

#define MAP_FIRST 64 /* slots of the initial table */

static size_t
map_slot(const struct dt_map *mp, uint64_t key)
{
	size_t mask = mp->mp_size - 1;
	size_t i;

	/* Fibonacci hashing: the highest bits are the best mixed */
	i = (size_t)((key * 0x9e3779b97f4a7c15ULL) >>
	    (64 - __builtin_ctzll(mp->mp_size)));
	while (mp->mp_ents[i].me_value != NULL && mp->mp_ents[i].me_key != key)
		i = (i + 1) & mask; /* terminates: a quarter is free */
	return i;
}

static int
map_grow(struct dt_map *mp)
{
	struct dt_map bigger;
	size_t i;

	bigger.mp_size = mp->mp_size == 0 ? MAP_FIRST : mp->mp_size * 2;
	bigger.mp_used = mp->mp_used;
	bigger.mp_ents = calloc(bigger.mp_size, sizeof(*bigger.mp_ents));
	if (bigger.mp_ents == NULL)
		return -1;
	for (i = 0; i < mp->mp_size; i++) {
		if (mp->mp_ents[i].me_value != NULL)
			bigger.mp_ents[map_slot(&bigger,
			    mp->mp_ents[i].me_key)] = mp->mp_ents[i];
	}
	free(mp->mp_ents);
	*mp = bigger;
	return 0;
}

void *
dt_map_get(const struct dt_map *mp, uint64_t key)
{
	if (mp->mp_size == 0)
		return NULL;
	return mp->mp_ents[map_slot(mp, key)].me_value;
}

int
dt_map_put(struct dt_map *mp, uint64_t key, void *value)
{
	struct dt_mapent *me;

	if (mp->mp_used >= mp->mp_size / 4 * 3 && map_grow(mp) == -1)
		return -1;
	me = &mp->mp_ents[map_slot(mp, key)];
	if (me->me_value == NULL)
		mp->mp_used++;
	me->me_key = key;
	me->me_value = value;
	return 0;
}

void
dt_map_free(struct dt_map *mp, void (*fn)(void *))
{
	size_t i;

	for (i = 0; fn != NULL && i < mp->mp_size; i++) {
		if (mp->mp_ents[i].me_value != NULL)
			fn(mp->mp_ents[i].me_value);
	}
	free(mp->mp_ents);
	mp->mp_ents = NULL;
	mp->mp_size = mp->mp_used = 0;
}
