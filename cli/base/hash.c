/* SPDX-License-Identifier: ISC */
/*
 * The hash table of cli/base/hash.h: open addressing, at most half full.  The
 * hash is seeded, since keys contain names and stacks that other users control.
 */
#include <sys/random.h>

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/hash.h"

#define HASH_MINSLOTS 256

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

static void
hash_grow(struct hash *m)
{
	struct hash_slot *old = m->ha_slots;
	size_t i, j, nold = m->ha_nslots;

	if (nold == 0 &&
	    getrandom(&m->ha_seed, sizeof(m->ha_seed), GRND_NONBLOCK) == -1)
		m->ha_seed = (uintptr_t)m;
	m->ha_nslots = nold ? nold * 2 : HASH_MINSLOTS;
	m->ha_slots = calloc(m->ha_nslots, sizeof(*m->ha_slots));
	if (m->ha_slots == NULL)
		err(1, "table");
	for (i = 0; i < nold; i++) {
		if (old[i].hs_entry == NULL)
			continue;
		j = old[i].hs_hash & (m->ha_nslots - 1);
		while (m->ha_slots[j].hs_entry != NULL)
			j = (j + 1) & (m->ha_nslots - 1);
		m->ha_slots[j] = old[i];
	}
	free(old);
}

struct hash_entry *
hash_get(struct hash *m, const void *key, size_t len)
{
	struct hash_slot *s;
	struct hash_entry *e;
	uint64_t hash;

	if (m->ha_n * 2 >= m->ha_nslots)
		hash_grow(m);
	hash = hash_bytes(m, key, len);
	s = hash_slot(m, hash, key, len);
	if (s->hs_entry != NULL)
		return s->hs_entry;
	if ((e = calloc(1, sizeof(*e) + ((len + 7) & ~(size_t)7))) == NULL)
		err(1, "table");
	e->he_hash = hash;
	e->he_keylen = len;
	memcpy(e->he_key, key, len);
	s->hs_hash = hash;
	s->hs_entry = e;
	m->ha_n++;
	return e;
}

struct hash_entry *
hash_find(const struct hash *m, const void *key, size_t len)
{
	if (m->ha_nslots == 0)
		return NULL;
	return hash_slot(m, hash_bytes(m, key, len), key, len)->hs_entry;
}

void
hash_clear(struct hash *m)
{
	size_t i;

	for (i = 0; i < m->ha_nslots; i++)
		free(m->ha_slots[i].hs_entry);
	free(m->ha_slots);
	m->ha_slots = NULL;
	m->ha_nslots = m->ha_n = 0;
}

void
hash_free(struct hash *m)
{
	size_t i;

	for (i = 0; i < m->ha_nslots; i++)
		if (m->ha_slots[i].hs_entry != NULL)
			free(m->ha_slots[i].hs_entry->he_ptr);
	hash_clear(m);
}

static int
hash_compare(const void *va, const void *vb, void *arg)
{
	const struct hash_entry *a = *(struct hash_entry *const *)va;
	const struct hash_entry *b = *(struct hash_entry *const *)vb;
	size_t i, nwords;

	(void)arg;
	if (a->he_count != b->he_count)
		return a->he_count < b->he_count ? 1 : -1;
	if (a->he_keylen != b->he_keylen)
		return a->he_keylen < b->he_keylen ? -1 : 1;
	nwords = (a->he_keylen + 7) / 8; /* the last word is padded with 0 */
	for (i = 0; i < nwords; i++) {
		if (a->he_key[i] != b->he_key[i])
			return a->he_key[i] < b->he_key[i] ? -1 : 1;
	}
	return 0;
}

struct hash_entry **
hash_sorted_by(const struct hash *m,
    int (*compare)(const void *, const void *, void *), void *arg)
{
	struct hash_entry **list;
	size_t i, n = 0;

	if ((list = calloc(m->ha_n + 1, sizeof(*list))) == NULL)
		err(1, "table");
	for (i = 0; i < m->ha_nslots; i++) {
		if (m->ha_slots[i].hs_entry != NULL)
			list[n++] = m->ha_slots[i].hs_entry;
	}
	qsort_r(list, n, sizeof(*list), compare, arg);
	return list;
}

struct hash_entry **
hash_sorted(const struct hash *m)
{
	return hash_sorted_by(m, hash_compare, NULL);
}
