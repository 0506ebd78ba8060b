/* SPDX-License-Identifier: ISC */
/*
 * The side-band of perf events: what processes map, execute and fork, as the
 * kernel tells it, in a ring for each CPU; read here in the order of time.
 *
 * A file is told by device and inode, never by its build id: anybody can write
 * one into a file, and a listener that asks the kernel for them spoils what
 * others hear (perf_direct.c).
 *
 * One thread at a time, but for sideband_wake().
 */
#ifndef DAEMON_PROCS_SIDEBAND_H
#define DAEMON_PROCS_SIDEBAND_H

#include "daemon/procs/sideband_event.h"

#define SIDEBAND_LAG 50000 /* ns: how much later than its time one is read */

struct sideband_stat {
	uint64_t rs_records, rs_bad;
};

/* Opens rings for the online CPUs: an errno if none could be opened. */
int sideband_open(void);
void sideband_close(void);
/* Handles a CPU that came online or went offline. */
void sideband_cpu(unsigned int cpu);
/*
 * Calls fn for all records up to a moment ago, in order; returns that time,
 * and how many.
 */
uint64_t sideband_read(void (*fn)(const struct sideband_event *), size_t *np);
/* Sleeps until a ring is half full, msecs have passed, or sideband_wake(). */
void sideband_wait(int msecs);
void sideband_wake(void);
void sideband_stat(struct sideband_stat *);

#endif /* DAEMON_PROCS_SIDEBAND_H */
