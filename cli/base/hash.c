/* SPDX-License-Identifier: ISC */
/*
 * The hash table of cli/base/hash.h: open addressing, at most half full.  The
 * hash is seeded, since names and stacks of others are among the keys.
 */
#include <sys/random.h>

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"

#define MAP_MINSLOTS 256

static uint64_t
map_hash(const struct map *m, const void *key, size_t len)
{
	const unsigned char *p = key;
	uint64_t h = m->mp_seed ^ len, w;

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

/* The slot of this key, or the free one where it belongs. */
static struct map_slot *
map_slot(const struct map *m, uint64_t hash, const void *key, size_t len)
{
	size_t i = hash & (m->mp_nslots - 1);
	struct map_slot *s;

	for (;; i = (i + 1) & (m->mp_nslots - 1)) {
		s = &m->mp_slots[i];
		if (s->ms_entry == NULL)
			return s;
		if (s->ms_hash == hash && s->ms_entry->me_keylen == len &&
		    memcmp(s->ms_entry->me_key, key, len) == 0)
			return s;
	}
}

static void
map_grow(struct map *m)
{
	struct map_slot *old = m->mp_slots;
	size_t i, j, nold = m->mp_nslots;

	if (nold == 0 &&
	    getrandom(&m->mp_seed, sizeof(m->mp_seed), GRND_NONBLOCK) == -1)
		m->mp_seed = (uintptr_t)m;
	m->mp_nslots = nold ? nold * 2 : MAP_MINSLOTS;
	m->mp_slots = calloc(m->mp_nslots, sizeof(*m->mp_slots));
	if (m->mp_slots == NULL)
		err(1, "table");
	for (i = 0; i < nold; i++) {
		if (old[i].ms_entry == NULL)
			continue;
		j = old[i].ms_hash & (m->mp_nslots - 1);
		while (m->mp_slots[j].ms_entry != NULL)
			j = (j + 1) & (m->mp_nslots - 1);
		m->mp_slots[j] = old[i];
	}
	free(old);
}

struct map_entry *
map_get(struct map *m, const void *key, size_t len)
{
	struct map_slot *s;
	struct map_entry *e;
	uint64_t hash;

	if (m->mp_n * 2 >= m->mp_nslots)
		map_grow(m);
	hash = map_hash(m, key, len);
	s = map_slot(m, hash, key, len);
	if (s->ms_entry != NULL)
		return s->ms_entry;
	if ((e = calloc(1, sizeof(*e) + ((len + 7) & ~(size_t)7))) == NULL)
		err(1, "table");
	e->me_hash = hash;
	e->me_keylen = len;
	memcpy(e->me_key, key, len);
	s->ms_hash = hash;
	s->ms_entry = e;
	m->mp_n++;
	return e;
}

struct map_entry *
map_find(const struct map *m, const void *key, size_t len)
{
	if (m->mp_nslots == 0)
		return NULL;
	return map_slot(m, map_hash(m, key, len), key, len)->ms_entry;
}

void
map_clear(struct map *m)
{
	size_t i;

	for (i = 0; i < m->mp_nslots; i++)
		free(m->mp_slots[i].ms_entry);
	free(m->mp_slots);
	m->mp_slots = NULL;
	m->mp_nslots = m->mp_n = 0;
}

void
map_free(struct map *m)
{
	size_t i;

	for (i = 0; i < m->mp_nslots; i++)
		if (m->mp_slots[i].ms_entry != NULL)
			free(m->mp_slots[i].ms_entry->me_ptr);
	map_clear(m);
}

static int
map_compare(const void *va, const void *vb, void *arg)
{
	const struct map_entry *a = *(struct map_entry *const *)va;
	const struct map_entry *b = *(struct map_entry *const *)vb;
	size_t i, nwords;

	(void)arg;
	if (a->me_count != b->me_count)
		return a->me_count < b->me_count ? 1 : -1;
	if (a->me_keylen != b->me_keylen)
		return a->me_keylen < b->me_keylen ? -1 : 1;
	nwords = (a->me_keylen + 7) / 8; /* the rest of the last is 0 */
	for (i = 0; i < nwords; i++) {
		if (a->me_key[i] != b->me_key[i])
			return a->me_key[i] < b->me_key[i] ? -1 : 1;
	}
	return 0;
}

struct map_entry **
map_sorted_by(const struct map *m,
    int (*compare)(const void *, const void *, void *), void *arg)
{
	struct map_entry **list;
	size_t i, n = 0;

	if ((list = calloc(m->mp_n + 1, sizeof(*list))) == NULL)
		err(1, "table");
	for (i = 0; i < m->mp_nslots; i++) {
		if (m->mp_slots[i].ms_entry != NULL)
			list[n++] = m->mp_slots[i].ms_entry;
	}
	qsort_r(list, n, sizeof(*list), compare, arg);
	return list;
}

struct map_entry **
map_sorted(const struct map *m)
{
	return map_sorted_by(m, map_compare, NULL);
}
