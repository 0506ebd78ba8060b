/* SPDX-License-Identifier: ISC */
/*
 * Copies of stacks, from their arrival until the client of their session takes
 * the frames.  A copy's memory is cleared as soon as its frames are known.
 *
 * The lock of the copies is taken after the one of the tables (unwind_impl.h),
 * and is not held for longer than a few walks.
 */
#ifndef DAEMON_UNWIND_UNWIND_COPIES_H
#define DAEMON_UNWIND_UNWIND_COPIES_H

#include <stdint.h>
#include <sys/types.h>

#include "bpf/unwind_shared.h"
#include "daemon/unwind/unwind_copy_maps.h"
#include "daemon/unwind/unwind_procs.h"

/*
 * Limits of memory, for copies and frames.  At its limit, a session loses the
 * frames that it has not taken for the longest time, then new copies.  When all
 * sessions are at theirs, the one that uses the most loses its oldest.
 */
#define UNWIND_COPIES_SESSION (4UL << 20)  /* bytes of a session */
#define UNWIND_COPIES_BYTES   (16UL << 20) /* bytes of all */
#define UNWIND_COPIES_RETRY   50000000ULL  /* ns, before it is tried again */
/*
 * A copy is given up after some ns without a table that it needs, which a slow
 * machine takes for each, or after the maximum.
 */
#define UNWIND_COPIES_AGE  1000000000ULL
#define UNWIND_COPIES_MOST 4000000000ULL
/* ns, while others read the same */
#define UNWIND_COPIES_DEFER 100000000ULL

struct unwind_copies_stat {
	uint64_t ucs_bytes;			     /* now */
	uint64_t ucs_copies, ucs_dropped;	     /* so far */
	uint64_t ucs_walked, ucs_givenup, ucs_nsecs; /* the same */
	uint64_t ucs_ends[UNWIND_NENDS]; /* the same, by enum dt_stack_end */
};
void unwind_copies_stat(struct unwind_copies_stat *);

/* Enters a copy of nbytes from a program. */
void unwind_copies_add(const struct unwind_copy *, size_t nbytes);
/*
 * Under the lock of the tables: walks copies whose tables are ready.  Returns
 * whether there may be more.
 */
int unwind_copies_walk(uint64_t now);
/*
 * Under the same lock: stores a process whose mappings copies need, and which
 * mayread() accepts.  Returns whether there is one.
 */
int unwind_copies_next(struct copy_proc *, uint64_t now,
    int (*mayread)(const struct copy_proc *));
/*
 * Under the same lock: mappings that were read for programs.  Copies of the same
 * process and time use them.
 */
void unwind_copies_maps(const struct unwind_proc_request *,
    const struct proc_view *);
/* A process could not be read: it is not tried again before. */
void unwind_copies_delay(const struct copy_proc *, uint64_t due);
/*
 * Under the same lock: returns whether a copy can be walked or given up, or a
 * process can be read for it.  *waiting: there are copies.
 */
int unwind_copies_isdue(uint64_t now, int (*mayread)(const struct copy_proc *),
    int *waiting);
/* Drops copies that are not walked yet. */
void unwind_copies_clear(void);

#endif /* DAEMON_UNWIND_UNWIND_COPIES_H */
