/* SPDX-License-Identifier: ISC */
/* Internal functions of the address space module; not for other modules. */
#ifndef DAEMON_PROCS_ADDR_SPACE_IMPL_H
#define DAEMON_PROCS_ADDR_SPACE_IMPL_H

#include "daemon/procs/addr_space.h"

/* Updates the memory of the address space in addr_space_sum. */
void addr_space_charge(struct addr_space *);
/* Whether a mapping contains another, at the same offset of the same file. */
int addr_space_has(const struct mapping *, const struct mapping *part);
/*
 * Adds a mapping for each part not covered yet, with its own counts; it does
 * not begin at mg_from if something else was mapped there.
 */
void addr_space_fill(struct addr_space *, const struct mapping *);
/* Marks the mapping at a position as past. */
void addr_space_end(struct addr_space *, struct mapping_pos, uint64_t until);

#endif /* DAEMON_PROCS_ADDR_SPACE_IMPL_H */
