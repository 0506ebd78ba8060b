/* SPDX-License-Identifier: ISC */
/*
 * Writes the symbol data of a recording: mappings of processes, and if
 * requested the symbols of the addresses in their stacks.
 */
#ifndef CLI_RECORDING_REC_SYMBOLS_WRITE_H
#define CLI_RECORDING_REC_SYMBOLS_WRITE_H

#include "cli/dtfile/block.h"

#include "cli/base/hash.h"
#include "cli/sym/name_cache.h"

/* All zeros, except uw_names and uw_embeds, is an empty one. */
struct rec_symbols_write {
	struct name_cache *uw_names;
	int uw_embeds; /* also writes symbols */
	struct hash
	    uw_views; /* mappings that were written, by process and time */
	struct hash uw_maps;  /* single mappings, of processes with too many */
	struct hash uw_usyms; /* addresses with symbols written */
};

/*
 * Writes what the records of block_each() need and the file does not have yet.
 */
void rec_symbols_write(struct rec_symbols_write *, struct block_writer *);
/* Starts a new file: everything has to be written again. */
void rec_symbols_write_again(struct rec_symbols_write *);

#endif /* CLI_RECORDING_REC_SYMBOLS_WRITE_H */
