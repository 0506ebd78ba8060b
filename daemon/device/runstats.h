/* SPDX-License-Identifier: ISC */
/*
 * Measures run times of BPF programs.  The kernel counts them only on request,
 * since that costs two clock reads per run; so they are counted in 1 % of the
 * time.
 */
#ifndef DAEMON_DEVICE_RUNSTATS_H
#define DAEMON_DEVICE_RUNSTATS_H

/*
 * Measures a window of 10 ms: look() is called at its beginning and end.
 * Sleeps, so it is not for the control thread.  On error the kernel does not
 * count, and look() is not called.
 */
int runstats_measure(void (*look)(void *arg, int isend), void *arg);

/*
 * Logs that the cost of these programs cannot be measured; a private daemon
 * leaves that to its client.
 */
void runstats_refused(const char *whose, int error);

#endif /* DAEMON_DEVICE_RUNSTATS_H */
