/* SPDX-License-Identifier: ISC */
/* What the files of proc_watch.h share. */
#ifndef DAEMON_PROCS_PROC_WATCH_IMPL_H
#define DAEMON_PROCS_PROC_WATCH_IMPL_H

#include <stdatomic.h>
#include <stdint.h>

/* Somebody asks by numbers of other pid namespaces: each new process is looked
 * at, so that its numbers are known when it has ended. */
extern atomic_int proc_status_wantnums;

/* Waits until /proc has been read, if that is under way; not for long. */
void proc_watch_settle(void);

/* Looks at all processes that live. */
void proc_status_all(void);

/* Reads the rings up to a time, or now; returns up to when they were read. */
uint64_t proc_watch_sync(uint64_t nsecs);

#endif /* DAEMON_PROCS_PROC_WATCH_IMPL_H */
