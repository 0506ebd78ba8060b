/* SPDX-License-Identifier: ISC */
/* What the files of addr_space.h share. */
#ifndef DAEMON_PROCS_ADDR_SPACE_IMPL_H
#define DAEMON_PROCS_ADDR_SPACE_IMPL_H

#include "daemon/procs/addr_space.h"

/* Tells addr_space_sum how much memory it takes. */
void addr_space_charge(struct addr_space *);
/* Whether a mapping contains another, at the same offset of the same file. */
int addr_space_has(const struct mapping *, const struct mapping *part);
/* What nothing covers by now becomes a mapping, with counts of its own; not as
 * early as mg_from, if something else was there. */
void addr_space_fill(struct addr_space *, const struct mapping *);
/* The mapping there has gone. */
void addr_space_end(struct addr_space *, struct mapping_pos, uint64_t until);

#endif /* DAEMON_PROCS_ADDR_SPACE_IMPL_H */
