/* SPDX-License-Identifier: ISC */
/*
 * Writes the symbol data of a recording: mappings of processes, and if
 * requested the symbols of the addresses in their stacks.
 */
#ifndef CLI_RECORDING_REC_SYMBOLS_WRITE_H
#define CLI_RECORDING_REC_SYMBOLS_WRITE_H

#include "cli/dtfile/block.h"
#include "cli/sym/name_cache.h"

struct rec_symbols_write;

/* embeds: also writes symbols.  Exits if memory runs out. */
struct rec_symbols_write *
rec_symbols_write_alloc(struct name_cache *, int embeds);
void rec_symbols_write_free(struct rec_symbols_write *);
/*
 * Writes what the records of block_each() need and the file does not have yet.
 */
void rec_symbols_write(struct rec_symbols_write *, struct block_writer *);
/* Starts a new file: everything has to be written again. */
void rec_symbols_write_again(struct rec_symbols_write *);

#endif /* CLI_RECORDING_REC_SYMBOLS_WRITE_H */
