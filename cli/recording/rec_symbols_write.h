/* SPDX-License-Identifier: ISC */
/*
 * What a recording has beside the records of processes' code: what they had
 * mapped, and if that is wanted the names of the places in their stacks.
 */
#ifndef CLI_RECORDING_REC_SYMBOLS_WRITE_H
#define CLI_RECORDING_REC_SYMBOLS_WRITE_H

#include "cli/dtfile/block.h"

#include "cli/base/hash.h"
#include "cli/sym/names.h"

/* All zeros but uw_names and uw_embeds is an empty one. */
struct rec_symbols_write {
	struct names *uw_names;
	int uw_embeds;	      /* names, too */
	struct hash uw_views; /* what was written: of which process, when */
	struct hash uw_maps;  /* single ones, of those that have too many */
	struct hash uw_usyms; /* places */
};

/* Writes what the records need that block_each() gives, as far as it isn't
 * written. */
void rec_symbols_write(struct rec_symbols_write *, struct block_writer *);
/* A new file: all has to be written again. */
void rec_symbols_write_again(struct rec_symbols_write *);

#endif /* CLI_RECORDING_REC_SYMBOLS_WRITE_H */
