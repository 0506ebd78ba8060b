/* SPDX-License-Identifier: ISC */
/*
 * A hash table from byte strings to a counter and a pointer: what stat counts
 * by, profile's stacks, names of addresses.
 *
 * Our own, because stat looks up four million keys of 24 bytes a second:
 * uthash links entries of malloc(3) by pointers and hashes byte by byte; here
 * the hash goes by words, and an entry is found with one comparison of
 * hashes before its key is touched.
 */
#ifndef CLI_BASE_HASH_H
#define CLI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_entry {
	uint64_t he_hash;
	uint64_t he_count; /* the caller's, 0 at first */
	union {		   /* the caller's, NULL or 0 at first */
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

/* All zeros is an empty map.  Memory that lacks ends the process. */
struct hash_entry *hash_get(struct hash *, const void *, size_t); /* or makes */
struct hash_entry *hash_find(const struct hash *, const void *, size_t);
void hash_clear(struct hash *); /* frees the entries, not he_ptr */
void hash_free(struct hash *);	/* and each he_ptr, by free(3) */
/* The entries sorted by count, the highest first, for free(3); those of the
 * same count by key, as numbers of 64 bits, so that output is stable. */
struct hash_entry **hash_sorted(const struct hash *);
/* The same in an order of the caller's, as qsort_r(3) takes it. */
struct hash_entry **hash_sorted_by(const struct hash *,
    int (*)(const void *, const void *, void *), void *);

#endif /* CLI_BASE_HASH_H */
