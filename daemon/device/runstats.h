/* SPDX-License-Identifier: ISC */
/*
 * What BPF programs take the kernel counts only while somebody has asked it to,
 * since that costs each run two looks at the clock: so it is asked for a
 * hundredth of the time.
 */
#ifndef DAEMON_DEVICE_RUNSTATS_H
#define DAEMON_DEVICE_RUNSTATS_H

/* A window of 10 ms: look() is called at its beginning and at its end.  Not the
 * control thread's, since it sleeps.  An errno: the kernel does not count, and
 * look() was not called. */
int runstats_measure(void (*look)(void *arg, int isend), void *arg);

/* Says so, of whose cost that is; a private daemon's client does that itself. */
void runstats_refused(const char *whose, int error);

#endif /* DAEMON_DEVICE_RUNSTATS_H */
