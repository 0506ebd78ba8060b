/* SPDX-License-Identifier: ISC */
/*
 * Reads the current mappings of processes from /proc. What the side-band has
 * reported since is newer and takes precedence.
 */
#ifndef DAEMON_PROCS_PROC_SNAPSHOT_H
#define DAEMON_PROCS_PROC_SNAPSHOT_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * Inspectors read.  All processes whose mappings are not known, or, when
 * records were lost (since; else 0), all.  Ends early when *stop is set, and
 * enters nothing from then on: who sets it clears the table after that.
 */
void proc_snapshot_all(uint64_t since, const atomic_int *stop);
/* Reads one process, if it is alive: ESRCH, or another errno of inspect(). */
int proc_snapshot_one(uint32_t pid, uint64_t since);

#endif /* DAEMON_PROCS_PROC_SNAPSHOT_H */
