/* SPDX-License-Identifier: ISC */
/*
 * The side-band of perf events: the kernel's records of mappings, executions
 * and forks, in a ring per CPU, read in order of time.
 *
 * Files are identified by device and inode, never by build id: any user can put
 * any build id into a file, and requesting them changes the records of other
 * listeners (perf_event_open.c).
 *
 * For one thread at a time, except for sideband_wake().
 */
#ifndef DAEMON_PROCS_SIDEBAND_H
#define DAEMON_PROCS_SIDEBAND_H

#include "daemon/procs/sideband_event.h"

#define SIDEBAND_LAG 50000 /* ns between a record's time and its read */

/* Opens rings for the online CPUs: an errno if none could be opened. */
int sideband_open(void);
void sideband_close(void);
/*
 * Opens a ring for a CPU that is online now.  Returns whether it replaces an
 * earlier one.
 */
int sideband_cpu(unsigned int cpu);
/*
 * Calls fn for all records up to a moment ago, in order; returns that time,
 * and how many.  If a ring was full, it calls fn with SIDEBAND_LOST of 0 records
 * first.
 */
uint64_t sideband_read(void (*fn)(const struct sideband_event *), size_t *np);
/* Sleeps until a ring is half full, msecs have passed, or sideband_wake(). */
void sideband_wait(int msecs);
void sideband_wake(void);
/* Returns the records so far, and those that were invalid. */
void sideband_stat(uint64_t *records, uint64_t *bad);

#endif /* DAEMON_PROCS_SIDEBAND_H */
