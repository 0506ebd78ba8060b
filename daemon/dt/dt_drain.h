/* SPDX-License-Identifier: ISC */
/* Waits for BPF programs that count themselves (bpf/dt_inside.bpf.h). */
#ifndef DAEMON_DT_DT_DRAIN_H
#define DAEMON_DT_DT_DRAIN_H

/*
 * Returns 1 when each such program that was in progress has ended: it saw what
 * the caller has written to the table, or is gone.  0 if one of them has not
 * ended for 3 ms, since its thread was preempted: a grace period waits for it.
 */
int dt_drain(void);

#endif /* DAEMON_DT_DT_DRAIN_H */
