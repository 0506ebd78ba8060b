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

struct map_entry {
	uint64_t me_hash;
	uint64_t me_count; /* the caller's, 0 at first */
	union {		   /* the caller's, NULL or 0 at first */
		void *me_ptr;
		int64_t me_sum;
	};
	uint32_t me_keylen;
	uint64_t me_key[]; /* me_keylen bytes */
};

struct map_slot {
	uint64_t ms_hash;
	struct map_entry *ms_entry; /* NULL: free */
};

struct map {
	struct map_slot *mp_slots;
	size_t mp_nslots; /* a power of 2, or 0 */
	size_t mp_n;	  /* entries */
	uint64_t mp_seed;
};

/* All zeros is an empty map.  Memory that lacks ends the process. */
struct map_entry *map_get(struct map *, const void *, size_t); /* or makes */
struct map_entry *map_find(const struct map *, const void *, size_t);
void map_clear(struct map *); /* frees the entries, not me_ptr */
void map_free(struct map *);  /* and each me_ptr, by free(3) */
/* The entries sorted by count, the highest first, for free(3); those of the
 * same count by key, as numbers of 64 bits, so that output is stable. */
struct map_entry **map_sorted(const struct map *);
/* The same in an order of the caller's, as qsort_r(3) takes it. */
struct map_entry **map_sorted_by(const struct map *,
    int (*)(const void *, const void *, void *), void *);

#endif /* CLI_BASE_HASH_H */
