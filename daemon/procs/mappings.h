/* SPDX-License-Identifier: ISC */
/*
 * Mappings sorted by address, none of which overlap.  In chunks, mg that one
 * of tens of thousands is put in its place without moving all others.  Counts
 * of files are the caller's business.
 */
#ifndef DAEMON_PROCS_MAPPINGS_H
#define DAEMON_PROCS_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

struct mapped_file;

struct mapping {
	uint64_t mg_start, mg_end, mg_off;
	uint64_t mg_from; /* when it came; 0: before we looked */
	struct mapped_file *mg_file;
};

struct mapping_chunk {
	uint32_t mc_n, mc_max;
	struct mapping mc_mappings[];
};

struct mappings {
	struct mapping_chunk **ms_chunks; /* by address; none is empty */
	size_t ms_nchunks, ms_maxchunks;
	size_t ms_n;	  /* mappings */
	size_t ms_nbytes; /* of memory */
};

/* A place between mappings. */
struct mapping_pos {
	size_t mp_chunk, mp_index;
};

/* Where the first mapping is that ends above addr. */
struct mapping_pos mappings_find(const struct mappings *, uint64_t addr);
/* The mapping at a place, or NULL behind the last. */
struct mapping *mappings_at(const struct mappings *, struct mapping_pos *);
/* So that it is sorted, is the caller's business, too: ENOMEM. */
int
mappings_insert(struct mappings *, struct mapping_pos, const struct mapping *);
/* The next mapping is at the same place then. */
void mappings_remove(struct mappings *, struct mapping_pos);
void mappings_free(struct mappings *);

#endif /* DAEMON_PROCS_MAPPINGS_H */
