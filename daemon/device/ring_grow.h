/* SPDX-License-Identifier: ISC */
/*
 * Rings that grow.  A CPU whose ring is more than a quarter full gets a larger
 * one: programs write to the new ring, the data thread reads the old one until
 * it is empty, so the order within a CPU is kept.  If a reader makes no
 * progress at all, its CPUs get chains of rings, each larger than the one
 * before; near the maximum also smaller ones.
 *
 * A growth is refused where it would exceed the session's maximum, or use more
 * of a limit of ring memory than must be left to others; the rings then keep
 * their size, and full ones drop records.
 */
#ifndef DAEMON_DEVICE_RING_GROW_H
#define DAEMON_DEVICE_RING_GROW_H

#include <stdint.h>
#include <sys/types.h>

#include "daemon/device/ring.h"

/*
 * Lets the rings grow up to max bytes in total, charged to this user.  After
 * rings_alloc(), before the data thread uses them.  Does nothing if they cannot
 * grow.  Returns errno.
 */
int ring_grow_start(struct rings *, struct stream *, uid_t, uint64_t max);

/*
 * For rings_free(): the first stops all growth; the second, when no program
 * uses the rings, releases all but the first ring of each CPU.
 */
void ring_grow_stop(struct rings *);
void ring_grow_free(struct rings *);

/*
 * Data thread: requests a larger ring for a CPU whose newest ring is more than
 * a quarter full.  Returns 0 if the size is fixed or growth was refused.
 */
int ring_grow_check(struct rings *, unsigned int cpu);
/* Data thread: the first ring of a CPU is empty and no program uses it. */
void ring_grow_pop(struct rings *, unsigned int cpu);

/* Size and fill level of rings.  Any thread, while they exist. */
struct ring_usage {
	uint64_t ru_bytes;
	uint64_t ru_used;
	uint64_t ru_fill; /* of the fullest CPU, millionths */
	uint64_t ru_most; /* bytes of the largest ring */
};
void rings_usage(const struct rings *, struct ring_usage *);

#endif /* DAEMON_DEVICE_RING_GROW_H */
