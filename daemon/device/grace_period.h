/* SPDX-License-Identifier: ISC */
/*
 * Waits for grace periods: until every BPF program that was running has ended.
 */
#ifndef DAEMON_DEVICE_GRACE_PERIOD_H
#define DAEMON_DEVICE_GRACE_PERIOD_H

/*
 * Creates the required objects, once; they are never released.  Any device may
 * call it.  Returns 0, or errno if grace_period() cannot work.
 */
int grace_period_init(void);
/*
 * Returns when every BPF program that was running has ended.  Blocks in the
 * kernel; any thread.
 */
void grace_period(void);

#endif /* DAEMON_DEVICE_GRACE_PERIOD_H */
