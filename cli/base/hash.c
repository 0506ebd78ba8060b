/* SPDX-License-Identifier: ISC */
/* Sorts the entries of a hash table. */
#include <err.h>
#include <stdlib.h>

#include "cli/base/hash.h"

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
