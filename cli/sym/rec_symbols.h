/* SPDX-License-Identifier: ISC */
/*
 * Names of processes' code in a report: by what the recording has of their
 * mappings, from the names that are in it, else from the files here that have
 * the same build id.
 */
#ifndef CLI_SYM_REC_SYMBOLS_H
#define CLI_SYM_REC_SYMBOLS_H

#include "cli/dtfile/block.h"

#include <libdt.h>

struct umaps;

/* lookup: names may be read from the files that symfs_path(symfs, ...) permits,
 * by a private dtd that is started when it is needed.  flags: DT_SYM_*, for
 * that lookup.  Exits if memory runs out. */
struct umaps *umaps_alloc(int lookup, const char *symfs, unsigned int flags);
void umaps_free(struct umaps *); /* NULL is fine */
/* What the recording has. */
void umaps_add(struct umaps *, const struct block_map *);
void umaps_add_name(struct umaps *, const struct block_usym *);
/* Since when a process had the code that it had at a time; 0: nothing is told
 * of it. */
uint64_t umaps_since(const struct umaps *, uint32_t pid, uint64_t nsecs);
/*
 * The frames of addresses of a process at a time, one each at least, ascending
 * by df_pc, for free(3); their strings live as long as umaps.
 */
struct dt_frame *umaps_get(struct umaps *, uint32_t pid, uint64_t nsecs,
    const uint64_t *pcs, size_t npcs, size_t *nframes);

#endif /* CLI_SYM_REC_SYMBOLS_H */
