/* SPDX-License-Identifier: ISC */
/* Internal functions of the side-band reader; not for other modules. */
#ifndef DAEMON_PROCS_SIDEBAND_IMPL_H
#define DAEMON_PROCS_SIDEBAND_IMPL_H

#include <stddef.h>

#include "daemon/procs/sideband.h"

struct perf_event_mmap_page;

struct sideband_ring {
	int sbr_fd; /* -1: none */
	struct perf_event_mmap_page *sbr_page;
	uint64_t sbr_tail, sbr_head; /* range read in this pass */
	uint64_t sbr_time;	     /* of the record at the tail */
};

extern size_t sideband_bytes; /* of the data of each, a power of two */

/* Returns whether there is a record up to a time. */
int
sideband_peek(struct sideband_ring *, uint64_t until, struct sideband_stat *);
/* Takes the record at the tail, if it is one: its path stays until the next. */
int sideband_take(struct sideband_ring *, struct sideband_event *,
    struct sideband_stat *);

#endif /* DAEMON_PROCS_SIDEBAND_IMPL_H */
