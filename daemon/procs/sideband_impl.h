/* SPDX-License-Identifier: ISC */
/* What the files of sideband.h share. */
#ifndef DAEMON_PROCS_SIDEBAND_IMPL_H
#define DAEMON_PROCS_SIDEBAND_IMPL_H

#include <stddef.h>

#include "daemon/procs/sideband.h"

struct perf_event_mmap_page;

struct symring {
	int sr_fd; /* -1: none */
	struct perf_event_mmap_page *sr_page;
	uint64_t sr_tail, sr_head; /* what is read in this pass */
	uint64_t sr_time;	   /* of the record at the tail */
};

extern size_t symring_bytes; /* of the data of each, a power of two */

/* Whether there is a record up to a time. */
int symring_peek(struct symring *, uint64_t until, struct symring_stat *);
/* Takes the record at the tail, if it is one: its path stays until the next. */
int symring_take(struct symring *, struct symevent *, struct symring_stat *);

#endif /* DAEMON_PROCS_SIDEBAND_IMPL_H */
