/* SPDX-License-Identifier: ISC */
/*
 * Symbols of user code in a report: by the mappings in the recording, from the
 * symbols in it, else from local files with the same build id.
 */
#ifndef CLI_SYM_REC_SYMBOLS_H
#define CLI_SYM_REC_SYMBOLS_H

#include "cli/dtfile/block.h"

#include <libdt.h>

struct rec_symbols;

/*
 * lookup: symbols may be read from the files that local_file_path(symfs, ...)
 * permits, by a private dtd that is started on demand.  flags: DT_SYM_*, for
 * that lookup.  Exits if memory runs out.
 */
struct rec_symbols *
rec_symbols_alloc(int lookup, const char *symfs, unsigned int flags);
void rec_symbols_free(struct rec_symbols *); /* NULL is allowed */
/* Add data of the recording. */
void rec_symbols_add(struct rec_symbols *, const struct block_map *);
void rec_symbols_add_name(struct rec_symbols *, const struct block_usym *);
/*
 * Returns the time since when a process had the mappings that it had at a time;
 * 0: unknown.
 */
uint64_t
rec_symbols_since(const struct rec_symbols *, uint32_t pid, uint64_t nsecs);
/*
 * Returns the frames of addresses of a process at a time, at least one each,
 * ascending by df_pc; the caller frees them.  Their strings live as long as
 * rec_symbols.
 */
struct dt_frame *rec_symbols_get(struct rec_symbols *, uint32_t pid,
    uint64_t nsecs, const uint64_t *pcs, size_t npcs, size_t *nframes);

#endif /* CLI_SYM_REC_SYMBOLS_H */
