/* SPDX-License-Identifier: ISC */
/*
 * The maps that unwind tables are found by (bpf/unwind_shared.h).  They are made
 * once and stay, since programs that are loaded refer to them; empty ones take
 * little memory.
 */
#ifndef DAEMON_UNWIND_UNWIND_MAPS_H
#define DAEMON_UNWIND_UNWIND_MAPS_H

#include <stdint.h>

/* Keys, whose hash has 16 bytes for each; and bytes of the ring. */
#define UNWIND_PAGES_LEAST  16384
#define UNWIND_PAGES_MOST   65536
#define UNWIND_PAGES_EACH   2048 /* bytes of the limit */
#define UNWIND_PROCS_MAX    16384
#define UNWIND_MISSES_BYTES 65536
#define UNWIND_COPIES_RING  (1U << 20) /* bytes: hundreds of copies */

enum unwind_map_name {
	UNWIND_SLABS,
	UNWIND_PAGES,
	UNWIND_PROCS,
	UNWIND_MISSES,
	UNWIND_COPIES,
	UNWIND_COUNTS,
	UNWIND_NMAPS
};

struct unwind_map_row {
	const char *umr_name; /* as in the objects */
	int umr_fd;	      /* -1: not made */
};

extern struct unwind_map_row unwind_maps[UNWIND_NMAPS];

/* Keys of unwind_pages, by the limit of memory when it was made. */
extern uint32_t unwind_pages_max;

/* Makes them; an errno.  Any thread. */
int unwind_maps_init(void);

#endif /* DAEMON_UNWIND_UNWIND_MAPS_H */
