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

struct rec_symbols;

/* lookup: names may be read from the files that symfs_path(symfs, ...) permits,
 * by a private dtd that is started when it is needed.  flags: DT_SYM_*, for
 * that lookup.  Exits if memory runs out. */
struct rec_symbols *
rec_symbols_alloc(int lookup, const char *symfs, unsigned int flags);
void rec_symbols_free(struct rec_symbols *); /* NULL is fine */
/* What the recording has. */
void rec_symbols_add(struct rec_symbols *, const struct block_map *);
void rec_symbols_add_name(struct rec_symbols *, const struct block_usym *);
/* Since when a process had the code that it had at a time; 0: nothing is told
 * of it. */
uint64_t
rec_symbols_since(const struct rec_symbols *, uint32_t pid, uint64_t nsecs);
/*
 * The frames of addresses of a process at a time, one each at least, ascending
 * by df_pc, for free(3); their strings live as long as rec_symbols.
 */
struct dt_frame *rec_symbols_get(struct rec_symbols *, uint32_t pid,
    uint64_t nsecs, const uint64_t *pcs, size_t npcs, size_t *nframes);

#endif /* CLI_SYM_REC_SYMBOLS_H */
