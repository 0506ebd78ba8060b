/* SPDX-License-Identifier: ISC */
/* Grace periods: waiting until every BPF program that was running has ended. */
#ifndef DAEMON_DEVICE_GRACE_H
#define DAEMON_DEVICE_GRACE_H

/* Makes what that takes, once; it stays.  Any device's that needs it.  0 or
 * errno: without it there are no grace periods. */
int grace_init(void);
/* Returns when every program that was running has ended.  Waits for the
 * kernel; any thread. */
void grace(void);

#endif /* DAEMON_DEVICE_GRACE_H */
