/* SPDX-License-Identifier: ISC */
/*
 * A recording from its file, in the order of time: the items of
 * cli/dtfile/block.h, with records sorted as far as the file says that they can
 * be, by the code that sorts what comes live (lib/order.h).
 */
#ifndef CLI_RECORDING_REPLAY_H
#define CLI_RECORDING_REPLAY_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/dtfile/block.h"

struct replay;

/*
 * The function to read with is as for block_reader_alloc().  check looks at a
 * record while it stands in the file: returns what is wrong with it, or NULL;
 * the probes that stand before it have been handed out then.  Memory that
 * lacks ends the process.
 */
struct replay *replay_alloc(ssize_t (*readfn)(void *, void *, size_t),
    const char *(*check)(void *, const struct dt_rec *), void *readarg,
    void *checkarg);
void replay_free(struct replay *); /* NULL is fine */

/*
 * As block_next(), but: records come by time, each with the clock that holds
 * for it (bi_clock); all other items come at once, but for the paths of
 * descriptors, which come just before the record that they stand before; low
 * water is not handed out.  What is damaged ends the records, and those before
 * that are handed out first.
 */
int replay_next(struct replay *, struct block_item *);
const char *replay_damage(const struct replay *);
uint64_t replay_offset(const struct replay *);

#endif /* CLI_RECORDING_REPLAY_H */
