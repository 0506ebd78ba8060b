/* SPDX-License-Identifier: ISC */
/*
 * Mappings sorted by address, none of which overlap.  In chunks, so that one
 * of tens of thousands is put in its place without moving all others.  Counts
 * of files are the caller's business.
 */
#ifndef DAEMON_PROCS_MAPPINGS_H
#define DAEMON_PROCS_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

struct symfile;

struct symspot {
	uint64_t so_start, so_end, so_off;
	uint64_t so_from; /* when it came; 0: before we looked */
	struct symfile *so_file;
};

struct symchunk {
	uint32_t sc_n, sc_max;
	struct symspot sc_spots[];
};

struct symspots {
	struct symchunk **sp_chunks; /* by address; none is empty */
	size_t sp_nchunks, sp_maxchunks;
	size_t sp_n;	  /* spots */
	size_t sp_nbytes; /* of memory */
};

/* A place between spots. */
struct symplace {
	size_t pl_chunk, pl_spot;
};

/* Where the first spot is that ends above addr. */
struct symplace symspots_find(const struct symspots *, uint64_t addr);
/* The spot at a place, or NULL behind the last. */
struct symspot *symspots_at(const struct symspots *, struct symplace *);
/* So that it is sorted, is the caller's business, too: ENOMEM. */
int symspots_insert(struct symspots *, struct symplace, const struct symspot *);
/* The next spot is at the same place then. */
void symspots_remove(struct symspots *, struct symplace);
void symspots_free(struct symspots *);

#endif /* DAEMON_PROCS_MAPPINGS_H */
