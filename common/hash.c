/* SPDX-License-Identifier: ISC */
/*
 * A hash table with open addressing, at most half full.  The hash is seeded,
 * since keys contain names and stacks that other users control.
 */
#include <sys/random.h>

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

#define HASH_MINSLOTS 64

static uint64_t
hash_bytes(const struct hash *m, const void *key, size_t len)
{
	const unsigned char *p = key;
	uint64_t h = m->ha_seed ^ len, w;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * 0x9e3779b97f4a7c15;
		h ^= h >> 32;
	}
	if (len > 0) {
		w = 0;
		memcpy(&w, p, len);
		h = (h ^ w) * 0x9e3779b97f4a7c15;
		h ^= h >> 32;
	}
	return h;
}

/* Returns the slot of a key, or the free slot for it. */
static struct hash_slot *
hash_slot(const struct hash *m, uint64_t hash, const void *key, size_t len)
{
	size_t i = hash & (m->ha_nslots - 1);
	struct hash_slot *s;

	for (;; i = (i + 1) & (m->ha_nslots - 1)) {
		s = &m->ha_slots[i];
		if (s->hs_entry == NULL)
			return s;
		if (s->hs_hash == hash && s->hs_entry->he_keylen == len &&
		    memcmp(s->hs_entry->he_key, key, len) == 0)
			return s;
	}
}

static int
hash_grow(struct hash *m)
{
	size_t n = m->ha_nslots ? m->ha_nslots * 2 : HASH_MINSLOTS, i, j;
	struct hash_slot *slots = calloc(n, sizeof(*slots));

	if (slots == NULL)
		return -1;
	if (m->ha_nslots == 0 &&
	    getrandom(&m->ha_seed, sizeof(m->ha_seed), GRND_NONBLOCK) == -1)
		m->ha_seed = (uintptr_t)m;
	for (i = 0; i < m->ha_nslots; i++) {
		if (m->ha_slots[i].hs_entry == NULL)
			continue;
		j = m->ha_slots[i].hs_hash & (n - 1);
		while (slots[j].hs_entry != NULL)
			j = (j + 1) & (n - 1);
		slots[j] = m->ha_slots[i];
	}
	free(m->ha_slots);
	m->ha_slots = slots;
	m->ha_nbytes += (n - m->ha_nslots) * sizeof(*slots);
	m->ha_nslots = n;
	return 0;
}

struct hash_entry *
dt_hash_find(const struct hash *m, const void *key, size_t len)
{
	if (m->ha_nslots == 0)
		return NULL;
	return hash_slot(m, hash_bytes(m, key, len), key, len)->hs_entry;
}

struct hash_entry *
dt_hash_get(struct hash *m, const void *key, size_t len)
{
	size_t nbytes = sizeof(struct hash_entry) + ((len + 7) & ~(size_t)7);
	struct hash_slot *s;
	struct hash_entry *e;
	uint64_t hash;

	if (m->ha_n * 2 >= m->ha_nslots && hash_grow(m) == -1)
		return NULL;
	hash = hash_bytes(m, key, len);
	s = hash_slot(m, hash, key, len);
	if (s->hs_entry != NULL)
		return s->hs_entry;
	if ((e = calloc(1, nbytes)) == NULL)
		return NULL;
	e->he_hash = hash;
	e->he_keylen = len;
	memcpy(e->he_key, key, len);
	s->hs_hash = hash;
	s->hs_entry = e;
	m->ha_n++;
	m->ha_nbytes += nbytes;
	return e;
}

void
dt_hash_free(struct hash *m, void (*fn)(void *))
{
	struct hash_entry *e;
	size_t i;

	for (i = 0; i < m->ha_nslots; i++) {
		if ((e = m->ha_slots[i].hs_entry) == NULL)
			continue;
		if (fn != NULL && e->he_ptr != NULL)
			fn(e->he_ptr);
		free(e);
	}
	free(m->ha_slots);
	*m = (struct hash){ 0 };
}

void *
dt_hash_ptr(const struct hash *m, uint64_t key)
{
	const struct hash_entry *e = dt_hash_find(m, &key, sizeof(key));

	return e != NULL ? e->he_ptr : NULL;
}

int
dt_hash_put(struct hash *m, uint64_t key, void *value)
{
	struct hash_entry *e = dt_hash_get(m, &key, sizeof(key));

	if (e == NULL)
		return -1;
	e->he_ptr = value;
	return 0;
}
