/* SPDX-License-Identifier: ISC */
/* Internal functions of unwind tables; not for other modules. */
#ifndef DAEMON_UNWIND_UNWIND_IMPL_H
#define DAEMON_UNWIND_UNWIND_IMPL_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/unwind_shared.h"

/* Nice value of threads on which stacks depend. */
#define UNWIND_NICE	(-5)
#define UNWIND_NCOPIERS 2

/*
 * The lock of all tables.  Its holder does not wait, nor access a process or
 * file.  Order of locks: proc_table.h, this one, mapped_file.h.
 */
extern pthread_mutex_t unwind_mtx;
/*
 * There is work for one more thread of a kind, or all are to end.  A thread that
 * has finished looks for more by itself.
 */
extern pthread_cond_t unwind_build_cond, unwind_read_cond, unwind_copy_cond;
extern int unwind_isending; /* under the lock */
extern int unwind_nbusy;    /* the same: threads that work */
extern uint64_t unwind_buildnsecs, unwind_readnsecs; /* the same */

/* Handles a report of a program. */
void unwind_missed(const struct unwind_miss *);

/*
 * Frees memory for tables; the lock is given up meanwhile.  ENOSPC: all of them
 * are in use.
 */
int unwind_reclaim(void);

/*
 * Under the lock: queues a page to be built, which a process of this user missed;
 * and takes all from the queue.
 */
void unwind_build_add(const struct unwind_pagekey *, uid_t);
void unwind_build_clear(void);
/* Threads: build tables, read mappings, walk copies, until they are to end. */
void *unwind_build_thread(void *);
void *unwind_read_thread(void *);
void *unwind_copy_thread(void *);

#endif /* DAEMON_UNWIND_UNWIND_IMPL_H */
