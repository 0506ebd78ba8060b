/* SPDX-License-Identifier: ISC */
/* Internal functions of unwind tables; not for other modules. */
#ifndef DAEMON_UNWIND_UNWIND_IMPL_H
#define DAEMON_UNWIND_UNWIND_IMPL_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/unwind_shared.h"
#include "daemon/procs/sideband_event.h"

struct copy_proc;

/* Nice value of threads on which stacks depend. */
#define UNWIND_NICE	(-5)
#define UNWIND_NCOPIERS 2

/*
 * The lock of all tables.  Its holder does not access a process or file, and
 * waits only for a slab (slab.h).  Order of locks: proc_table.h, this one,
 * mapped_file.h.
 */
extern pthread_mutex_t unwind_mtx;
/*
 * Wakes one thread of a kind for new work, or all to end.  A thread that has
 * finished checks for more work by itself.
 */
extern pthread_cond_t unwind_build_cond, unwind_read_cond, unwind_copy_cond;
extern int unwind_isending; /* under the lock */
extern int unwind_nbusy;    /* the same: threads that work */
extern uint64_t unwind_buildnsecs, unwind_readnsecs; /* the same */

/* Handles a report of a program. */
void unwind_missed(const struct unwind_miss *);

/* Handles an event of a process, under the lock of proc_table.h; or keeps it. */
void unwind_event(const struct sideband_event *);
/* Under the lock: handles the events that were kept. */
void unwind_events_flush(void);

/*
 * Frees memory for tables; the lock is released meanwhile.  ENOSPC: all tables
 * are in use.
 */
int unwind_reclaim(void);

/*
 * Under the lock: start a symbolizer for a user, before there is a page to build;
 * queue a page to be built, which a process of this user missed; and take all
 * pages from the queue.
 */
void unwind_build_begin(uid_t);
void unwind_build_add(const struct unwind_pagekey *, uid_t);
void unwind_build_clear(void);
/*
 * Main functions of the threads that build tables, read mappings and walk
 * copies.
 */
void *unwind_build_thread(void *);
void *unwind_read_thread(void *);
void *unwind_copy_thread(void *);
/* Under the lock: returns whether a process may be read for a copy. */
int unwind_copy_mayread(const struct copy_proc *);

#endif /* DAEMON_UNWIND_UNWIND_IMPL_H */
