/* SPDX-License-Identifier: ISC */
/*
 * The table of common/hash.h, for a program that exits if memory runs out, and
 * its entries in order.
 */
#ifndef CLI_BASE_HASH_H
#define CLI_BASE_HASH_H

#include <err.h>
#include <stdlib.h>

#include "common/hash.h"

/* Returns the entry of a key, which it adds if missing. */
static inline struct hash_entry *
hash_get(struct hash *m, const void *key, size_t len)
{
	struct hash_entry *e = dt_hash_get(m, key, len);

	if (e == NULL)
		err(1, "table");
	return e;
}

static inline struct hash_entry *
hash_find(const struct hash *m, const void *key, size_t len)
{
	return dt_hash_find(m, key, len);
}

/* Frees the entries, but not he_ptr. */
static inline void
hash_clear(struct hash *m)
{
	dt_hash_free(m, NULL);
}

/* Frees the entries and each he_ptr, by free(3). */
static inline void
hash_free(struct hash *m)
{
	dt_hash_free(m, free);
}

/*
 * Returns an array of the entries, which the caller frees, by descending count.
 * Entries of equal count are ordered by key, as 64-bit numbers, so that the
 * output is stable.
 */
struct hash_entry **hash_sorted(const struct hash *);
/* The same in the order of a comparison function, as for qsort_r(3). */
struct hash_entry **hash_sorted_by(const struct hash *,
    int (*)(const void *, const void *, void *), void *);

#endif /* CLI_BASE_HASH_H */
