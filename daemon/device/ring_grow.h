/* SPDX-License-Identifier: ISC */
/*
 * Rings that grow.  A CPU whose ring is more than a quarter full gets a larger one:
 * programs write to the new ring, the data thread reads the old one until it is
 * empty, so the order within a CPU stays as it was.  A reader that makes no
 * progress at all gets a chain of rings, each larger than the one before.
 *
 * A growth is refused where it would exceed the maximum of the session, or take
 * more of a limit of ring memory than it leaves to others; the rings stay as
 * they are then, and full ones drop records as before.  Rings never shrink.
 */
#ifndef DAEMON_DEVICE_RING_GROW_H
#define DAEMON_DEVICE_RING_GROW_H

#include <stdint.h>
#include <sys/types.h>

#include "daemon/device/ring.h"

/*
 * The rings may grow up to max bytes in all, at the expense of this user.
 * After rings_alloc(), before the data thread looks.  Without effect if there
 * is nothing to gain, returns errno.
 */
int ring_grow_start(struct rings *, struct stream *, uid_t, uint64_t max);

/* For rings_free(): none grows any more; then, when no program uses them,
 * releases all but the first ring of each CPU. */
void ring_grow_stop(struct rings *);
void ring_grow_free(struct rings *);

/*
 * Data thread: requests a larger ring for a CPU whose newest ring is more than
 * a quarter full.  Returns 0 if rings of a fixed size or a refusal prevent that.
 */
int ring_grow_check(struct rings *, unsigned int cpu);
/* Data thread: the first ring of a CPU is empty and no program uses it. */
void ring_grow_pop(struct rings *, unsigned int cpu);

/* Memory of rings and how full they are.  Any thread, while they exist. */
struct ring_usage {
	uint64_t ru_bytes;
	uint64_t ru_used;
	uint64_t ru_fill; /* of the fullest CPU, millionths */
	uint64_t ru_most; /* bytes of the largest ring */
};
void rings_usage(const struct rings *, struct ring_usage *);

#endif /* DAEMON_DEVICE_RING_GROW_H */
