/* SPDX-License-Identifier: ISC */
/*
 * Reads a recording in the order of time: the items of cli/dtfile/block.h, with
 * records sorted as far as the file permits, by the code that sorts live events
 * (lib/order.h).
 */
#ifndef CLI_RECORDING_REPLAY_H
#define CLI_RECORDING_REPLAY_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/dtfile/block.h"

struct replay;

/*
 * readfn is as for block_reader_alloc().  check examines a record at its
 * position in the file: it returns an error text, or NULL; the probes before
 * the record have been returned by then.  Exits if memory runs out.
 */
struct replay *replay_alloc(ssize_t (*readfn)(void *, void *, size_t),
    const char *(*check)(void *, const struct dt_rec *), void *readarg,
    void *checkarg);
void replay_free(struct replay *); /* NULL is allowed */

/*
 * Like block_next(), except: records are returned by time, each with its clock
 * (bi_clock); all other items are returned at once, except paths of
 * descriptors, which precede their record; low water is not returned.  Damage
 * ends the records; those before it are returned first.
 */
int replay_next(struct replay *, struct block_item *);
const char *replay_damage(const struct replay *);
uint64_t replay_offset(const struct replay *);

#endif /* CLI_RECORDING_REPLAY_H */
