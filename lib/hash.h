/* SPDX-License-Identifier: ISC */
/*
 * A hash table from 64-bit keys to pointers, for caches: entries are added or
 * replaced, never removed.  Not locked; the owner locks it.
 */
#ifndef LIB_HASH_H
#define LIB_HASH_H

#include <stddef.h>
#include <stdint.h>

struct dt_mapent {
	uint64_t me_key;
	void *me_value; /* NULL: the slot is free */
};

struct dt_map {
	struct dt_mapent *mp_ents; /* mp_size slots, a power of two */
	size_t mp_size;
	size_t mp_used; /* at most 3/4 of mp_size */
};

/* Returns the value of a key, or NULL. */
void *dt_map_get(const struct dt_map *, uint64_t key);

/* Adds or replaces an entry.  value must not be NULL.  -1: ENOMEM. */
int dt_map_put(struct dt_map *, uint64_t key, void *value);

/* Empties the table; fn, unless NULL, frees each value. */
void dt_map_free(struct dt_map *, void (*fn)(void *));

#endif /* LIB_HASH_H */
