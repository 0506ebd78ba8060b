/* SPDX-License-Identifier: ISC */
/* Waits for BPF programs that count themselves (bpf/dt_inside.bpf.h). */
#ifndef DAEMON_DT_DT_DRAIN_H
#define DAEMON_DT_DT_DRAIN_H

/*
 * Returns 1 when each such program that was in progress has ended; programs that
 * begin later read the table as the caller has written it.  Returns 0 if a
 * program has not ended after 3 ms, for example because its thread was
 * preempted: the caller has to wait for a grace period.
 */
int dt_drain(void);

#endif /* DAEMON_DT_DT_DRAIN_H */
