/* SPDX-License-Identifier: ISC */
/*
 * Mappings sorted by address, without overlaps. They are kept in chunks, so
 * that an insertion among tens of thousands does not move all others. The
 * caller maintains the files' counts.
 */
#ifndef DAEMON_PROCS_MAPPINGS_H
#define DAEMON_PROCS_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

struct mapped_file;

struct mapping {
	uint64_t mg_start, mg_end, mg_off;
	uint64_t mg_from; /* time it appeared; 0: before monitoring */
	struct mapped_file *mg_file;
};

struct mapping_chunk {
	uint32_t mc_n, mc_max;
	struct mapping mc_mappings[];
};

struct mappings {
	struct mapping_chunk **mgs_chunks; /* by address; none is empty */
	size_t mgs_nchunks, mgs_maxchunks;
	size_t mgs_n;	   /* mappings */
	size_t mgs_nbytes; /* of memory */
};

/* A position between mappings. */
struct mapping_pos {
	size_t mp_chunk, mp_index;
};

/* Returns the position of the first mapping that ends above addr. */
struct mapping_pos mappings_find(const struct mappings *, uint64_t addr);
/* Returns the mapping at a position, or NULL at the end. */
struct mapping *mappings_at(const struct mappings *, struct mapping_pos *);
/* The caller keeps the order: ENOMEM. */
int
mappings_insert(struct mappings *, struct mapping_pos, const struct mapping *);
/* Afterwards the next mapping is at this position. */
void mappings_remove(struct mappings *, struct mapping_pos);
void mappings_free(struct mappings *);

#endif /* DAEMON_PROCS_MAPPINGS_H */
