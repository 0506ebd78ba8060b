/* SPDX-License-Identifier: ISC */
/* Groups the threads of a snapshot by equal stacks. */
#ifndef CLI_WHERE_WHERE_H
#define CLI_WHERE_WHERE_H

#include <stdint.h>

#include "cli/base/hash.h"
#include "cli/result/where.h"
#include "cli/sym/frames.h"
#include "cli/sym/name_cache.h"

/* All zeros, except whr_names, whr_time and whr_hasuser, is an empty one. */
struct where {
	struct name_cache *whr_names;
	uint64_t whr_time; /* of the snapshot */
	int whr_hasuser;   /* threads have user stacks */
	struct frames whr_frames;
	struct hash whr_map; /* frames -> index of the group plus 1 */
	struct out_where_group *whr_groups;
	size_t whr_n, whr_max;
	size_t whr_nthreads;
};

/* Adds a thread, which outlives the groups. */
void where_add(struct where *, const struct dtioc_thread *);
/* Sorts the groups.  The result is valid until where_free(). */
void where_result(struct where *, struct out_where *);
void where_free(struct where *);

#endif /* CLI_WHERE_WHERE_H */
