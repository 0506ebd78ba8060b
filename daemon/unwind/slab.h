/* SPDX-License-Identifier: ISC */
/*
 * Memory for unwind tables that BPF programs read: slabs, and blocks in them.
 * A slab is made when the others are full, and released when it is empty.  The
 * caller takes one lock for all functions.
 */
#ifndef DAEMON_UNWIND_SLAB_H
#define DAEMON_UNWIND_SLAB_H

#include <stdint.h>

struct slab_block {
	struct slab_block *sbk_next; /* of the retired ones */
	uint32_t sbk_place;	     /* as in bpf/unwind_shared.h */
	uint32_t sbk_nbytes;
	void *sbk_mem;
};

/*
 * Makes a slab before there is a block, since the kernel takes a grace period to
 * enter it.
 */
void slab_prepare(void);
/* Sets the maximum number of slabs; more that exist stay until empty. */
void slab_limit(uint64_t nbytes);
/*
 * Returns a block of undefined content.  NULL with *error: ENOSPC, the limit;
 * another errno of making a slab.
 */
struct slab_block *slab_alloc(uint32_t nbytes, int *error);
/* For a block that no map refers to any more; NULL is fine. */
void slab_retire(struct slab_block *);
/*
 * Take the retired blocks, and free them.  Between the two, the caller waits
 * for a grace period without the lock.
 */
struct slab_block *slab_retired(void);
void slab_free(struct slab_block *);
/* Returns the memory of a slab, NULL if no slab has this number. */
void *slab_base(uint32_t);
/* Releases all slabs, when no block is in use. */
void slab_clear(void);

struct slab_stat {
	uint64_t sst_slabs;   /* bytes of slabs */
	uint64_t sst_used;    /* bytes of blocks */
	uint64_t sst_retired; /* bytes of blocks that are retired */
	uint64_t sst_limit;   /* in bytes */
};
void slab_stat(struct slab_stat *);

#endif /* DAEMON_UNWIND_SLAB_H */
