/* SPDX-License-Identifier: ISC */
/* What the files of addr_space.h share. */
#ifndef DAEMON_PROCS_ADDR_SPACE_IMPL_H
#define DAEMON_PROCS_ADDR_SPACE_IMPL_H

#include "daemon/procs/addr_space.h"

/* Tells symimage_sum how much memory it takes. */
void symimage_charge(struct symimage *);
/* Whether a spot has all of another, from the same place of the same file. */
int symimage_has(const struct symspot *, const struct symspot *part);
/* What nothing covers by now becomes a mapping, with counts of its own; not as
 * early as so_from, if something else was there. */
void symimage_fill(struct symimage *, const struct symspot *);
/* The spot there has gone. */
void symimage_end(struct symimage *, struct symplace, uint64_t until);

#endif /* DAEMON_PROCS_ADDR_SPACE_IMPL_H */
