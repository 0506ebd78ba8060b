/* SPDX-License-Identifier: ISC */
/*
 * The maps that unwind tables are found by (bpf/unwind_shared.h).  They are made
 * once and stay, since programs that are loaded refer to them; empty ones take
 * little memory.
 */
#ifndef DAEMON_UNWIND_UNWIND_MAPS_H
#define DAEMON_UNWIND_UNWIND_MAPS_H

#include <stdint.h>

#define UNWIND_PAGES_MAX    65536 /* keys of unwind_pages */
#define UNWIND_PROCS_MAX    32768 /* keys of unwind_procs */
#define UNWIND_MISSES_BYTES 65536 /* of the ring unwind_misses */

enum unwind_map_name {
	UNWIND_SLABS,
	UNWIND_PAGES,
	UNWIND_PROCS,
	UNWIND_MISSES,
	UNWIND_NMAPS
};

struct unwind_map_row {
	const char *umr_name; /* as in the objects */
	int umr_fd;	      /* -1: not made */
};

extern struct unwind_map_row unwind_maps[UNWIND_NMAPS];

/* Makes them; an errno.  Any thread. */
int unwind_maps_init(void);

#endif /* DAEMON_UNWIND_UNWIND_MAPS_H */
