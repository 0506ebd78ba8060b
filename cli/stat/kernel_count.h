/* SPDX-License-Identifier: ISC */
/*
 * Counts hits in the kernel (DTIOCSAGG), for dt stat: requests it for the
 * session's probes, and adds the rows of snapshots to a struct count.
 */
#ifndef CLI_STAT_KERNEL_COUNT_H
#define CLI_STAT_KERNEL_COUNT_H

#include <stddef.h>

#include <libdt.h>

#include "cli/base/hash.h"
#include "cli/stat/count.h"

struct kernel_count {
	struct dt *kct_dt;
	struct count *kct_count;
	struct hash kct_probes;	  /* pbn -> struct key_kernel */
	unsigned int kct_nprobes; /* probes that the kernel counts */
	int kct_wantsprobe;	  /* rows have the number of the probe */
	uint32_t kct_only;	  /* probe of rows without that number */
	uint32_t kct_maxrows;	  /* of the kernel's table */
	uint64_t kct_mapfull;	  /* as of the last snapshot */
	uint64_t kct_every;	  /* ns between snapshots */
	uint64_t kct_longest;	  /* and at most */
	uint64_t kct_next; /* time of the next one, CLOCK_MONOTONIC, ns */
};

/* A probe, and the first probe of its pair, if it is the second one. */
struct kernel_count_probe {
	uint32_t kcp_pbn;
	uint32_t kcp_first;
	int kcp_ispair;
};

/*
 * Begins to count these enabled probes in the kernel.  Returns 0, or -1 with a
 * reason: then all hits become events.  Probes that dtd refuses stay events,
 * too; kct_nprobes are counted.
 */
int kernel_count_start(struct kernel_count *, struct dt *, struct count *,
    const struct kernel_count_probe *, size_t n, char *why, size_t nwhy);
/*
 * Adds the counts since the last snapshot.  Stores their sum; returns 0, or -1
 * with errno.
 */
int kernel_count_snapshot(struct kernel_count *, uint64_t now, uint64_t *nhits);
void kernel_count_free(struct kernel_count *);

#endif /* CLI_STAT_KERNEL_COUNT_H */
