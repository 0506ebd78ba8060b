/* SPDX-License-Identifier: ISC */
/*
 * Reduces the wake-up latency of threads that work little but must run
 * promptly: others wait for them, or rings fill.
 */
#ifndef DAEMON_BASE_SCHED_H
#define DAEMON_BASE_SCHED_H

/*
 * Makes the kernel run the calling thread soon after it wakes; threads and
 * processes that it starts are scheduled normally.  nice: as in setpriority(2);
 * without that permission (LimitNICE) it is left unchanged.
 */
void sched_prompt(int nice);

#endif /* DAEMON_BASE_SCHED_H */
