/* SPDX-License-Identifier: ISC */
/*
 * A thread that has little to do, but soon: others wait for it, or rings fill.
 */
#ifndef DAEMON_BASE_SCHED_H
#define DAEMON_BASE_SCHED_H

/*
 * The calling thread is to get a CPU soon after something has come for it;
 * threads and processes that it starts are as all others.  nice: of
 * setpriority(2); without the right to that (LimitNICE) it stays what it was.
 */
void sched_prompt(int nice);

#endif /* DAEMON_BASE_SCHED_H */
