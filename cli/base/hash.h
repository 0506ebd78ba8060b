/* SPDX-License-Identifier: ISC */
/*
 * A hash table from byte strings to a counter and a pointer: for the keys of
 * stat, the stacks of profile and the symbols of addresses.
 *
 * It replaces uthash, because stat looks up four million keys of 24 bytes per
 * second: uthash links entries of malloc(3) by pointers and hashes byte by
 * byte. This table hashes word by word, and compares hashes before it reads a
 * key.
 */
#ifndef CLI_BASE_HASH_H
#define CLI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_entry {
	uint64_t he_hash;
	uint64_t he_count; /* for the caller, initially 0 */
	union {		   /* for the caller, initially NULL or 0 */
		void *he_ptr;
		int64_t he_sum;
	};
	uint32_t he_keylen;
	uint64_t he_key[]; /* he_keylen bytes */
};

struct hash_slot {
	uint64_t hs_hash;
	struct hash_entry *hs_entry; /* NULL: free */
};

struct hash {
	struct hash_slot *ha_slots;
	size_t ha_nslots; /* a power of 2, or 0 */
	size_t ha_n;	  /* entries */
	uint64_t ha_seed;
};

/* All zeros is an empty table.  Exits if memory runs out. */
struct hash_entry *hash_get(struct hash *, const void *, size_t); /* or adds */
struct hash_entry *hash_find(const struct hash *, const void *, size_t);
void hash_clear(struct hash *); /* frees the entries, but not he_ptr */
void hash_free(struct hash *);	/* frees also each he_ptr, by free(3) */
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
