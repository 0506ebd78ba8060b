/* SPDX-License-Identifier: ISC */
/* Threads grouped by equal stacks, as dt where prints them. */
#ifndef CLI_RESULT_WHERE_H
#define CLI_RESULT_WHERE_H

#include <stddef.h>
#include <stdint.h>

#include <libdt.h>

struct frame;

#define WHERE_UNKNOWN UINT64_MAX /* ns */

/* Threads with the same frames. */
struct out_where_group {
	const struct dtioc_thread **owg_threads; /* descending by time */
	size_t owg_n;
	/* innermost first: owg_nkernel kernel frames, then user frames */
	const struct frame **owg_frames;
	unsigned int owg_nframes, owg_nkernel;
	uint64_t owg_min, owg_max; /* ns in the state; or WHERE_UNKNOWN */
	const char *owg_wchan;	   /* function that waits; NULL: none */
	const char *owg_why; /* why the user stack is incomplete, or NULL */
	int owg_isrunning;   /* the threads have no stacks, since they run */
	int owg_hasuser;     /* user stacks were requested */
	/* how the stacks end: enum dt_stack_end, and its errno */
	unsigned int owg_kend, owg_kerror, owg_uend;
};

struct out_where {
	const struct out_where_group *ow_groups; /* descending by threads */
	size_t ow_n;
	size_t ow_nthreads;
};

#endif /* CLI_RESULT_WHERE_H */
