/* SPDX-License-Identifier: ISC */
/*
 * Walks a copy of a stack (struct unwind_copy) by the tables that programs use.
 * The caller holds the lock of the tables.
 */
#ifndef DAEMON_UNWIND_UNWIND_COPY_WALK_H
#define DAEMON_UNWIND_UNWIND_COPY_WALK_H

#include <stddef.h>
#include <stdint.h>

#include <dt/evt.h>

#include "bpf/unwind_shared.h"

struct copy_walk {
	struct unwind_walk cwk_walk; /* first */
	const struct unwind_copy *cwk_copy;
	const struct unwind_map *cwk_maps; /* mappings at the hit, sorted */
	struct unwind_page cwk_page;	   /* that was looked up last */
	int cwk_iscut; /* the last read was of memory above the copy's limit */
	uint64_t cwk_pcs[DT_REC_MAXFRAMES];
};

/* Returns the bytes of a copy that are in use; 0: it is not valid. */
size_t copy_nbytes(const struct unwind_copy *);
/*
 * Walks a copy.  cwk_walk then has the number of frames, why they end, and with
 * PENDING or EVICTED the page that is missing: uw_key.
 */
void copy_walk(struct copy_walk *, const struct unwind_copy *,
    const struct unwind_map *, uint32_t nmaps);

#endif /* DAEMON_UNWIND_UNWIND_COPY_WALK_H */
