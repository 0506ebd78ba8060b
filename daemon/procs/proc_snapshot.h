/* SPDX-License-Identifier: ISC */
/*
 * Reads the current mappings of processes from /proc.  Later records of the
 * side-band take precedence.
 */
#ifndef DAEMON_PROCS_PROC_SNAPSHOT_H
#define DAEMON_PROCS_PROC_SNAPSHOT_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * Reads, by inspectors, all processes with unknown mappings, or all processes
 * if records were lost (since; else 0).  Ends early when *stop is set, and
 * enters nothing from then on: the thread that sets it clears the table.
 */
void proc_snapshot_all(uint64_t since, const atomic_int *stop);
/* Reads one process, if it is alive: ESRCH, or another errno of inspect(). */
int proc_snapshot_one(uint32_t pid, uint64_t since);

#endif /* DAEMON_PROCS_PROC_SNAPSHOT_H */
