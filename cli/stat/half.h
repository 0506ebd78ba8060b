/* SPDX-License-Identifier: ISC */
/*
 * A call of which both probes are enabled, or recorded, is counted once: by its
 * entry, or by its return if keys need values of that.
 */
#ifndef CLI_STAT_HALF_H
#define CLI_STAT_HALF_H

#include <libdt.h>

#include "cli/base/hash.h"
#include "cli/stat/key.h"
#include "cli/sym/name_cache.h"

struct halves {
	struct hash hv_skips; /* pbn -> 1, or 2: its hits are not counted */
};

/* Returns whether another event stands for the call of this one. */
int half_is_other(struct halves *, const struct keys *, struct name_cache *,
    const struct dt_event *);
void halves_free(struct halves *);

#endif /* CLI_STAT_HALF_H */
