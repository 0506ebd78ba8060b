/* SPDX-License-Identifier: ISC */
/* Internal functions of process monitoring; not for other modules. */
#ifndef DAEMON_PROCS_PROC_WATCH_IMPL_H
#define DAEMON_PROCS_PROC_WATCH_IMPL_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * Set when a client uses pids of other pid namespaces: each new process is
 * inspected, so that its pids are known after it has exited.
 */
extern atomic_int proc_status_wantnums;

/* Waits, for a limited time, until a pass over /proc in progress is done. */
void proc_watch_settle(void);

/* Inspects all processes that are alive. */
void proc_status_all(void);

/* Reads the rings up to a time, or now; returns up to when they were read. */
uint64_t proc_watch_sync(uint64_t nsecs);
/*
 * Returns the CPU time of the calling thread for reading records, in ns.  They
 * are of all processes.
 */
uint64_t proc_watch_drained(void);

/* Returns the time until which records were lost; 0: none were. */
uint64_t proc_watch_lost(void);

#endif /* DAEMON_PROCS_PROC_WATCH_IMPL_H */
