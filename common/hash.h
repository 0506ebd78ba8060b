/* SPDX-License-Identifier: ISC */
/*
 * A hash table from byte strings to a counter and a pointer, of libdt and of
 * dt(1): symbols of addresses, keys of stat, stacks of profile.  Entries are
 * never removed.  Not locked; the owner locks it.
 *
 * dt stat looks up four million keys of 24 bytes per second, so the table
 * hashes word by word and compares hashes before it reads a key.
 */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

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
	uint64_t he_key[]; /* he_keylen bytes, padded with 0 to words */
};

struct hash_slot {
	uint64_t hs_hash;
	struct hash_entry *hs_entry; /* NULL: free */
};

/* All zeros is an empty table. */
struct hash {
	struct hash_slot *ha_slots;
	size_t ha_nslots; /* a power of 2, or 0 */
	size_t ha_n;	  /* entries */
	size_t ha_nbytes; /* memory of slots and entries */
	uint64_t ha_seed;
};

/* Returns the entry of a key, NULL if there is none. */
struct hash_entry *dt_hash_find(const struct hash *, const void *, size_t);
/* Returns the entry of a key, which it adds if missing; NULL: ENOMEM. */
struct hash_entry *dt_hash_get(struct hash *, const void *, size_t);
/* Empties the table; fn, unless NULL, frees each he_ptr that is not NULL. */
void dt_hash_free(struct hash *, void (*fn)(void *));

/* The same with 64-bit keys and pointers.  dt_hash_put() returns -1: ENOMEM. */
void *dt_hash_ptr(const struct hash *, uint64_t key);
int dt_hash_put(struct hash *, uint64_t key, void *);

#endif /* COMMON_HASH_H */
