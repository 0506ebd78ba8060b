/* SPDX-License-Identifier: ISC */
/* Finds threads of a client, and of its children, by thread id. */
#ifndef DAEMON_DEVICE_PEER_THREAD_H
#define DAEMON_DEVICE_PEER_THREAD_H

#include "daemon/device/cdevsw.h"

struct reason;

/* A thread in dtd's pid namespace; th_start distinguishes reuses of its id. */
struct peer_thread {
	pid_t th_tid; /* 0: none */
	uint64_t th_start;
};

/*
 * These functions query the kernel for microseconds, independent of the
 * process's size and state; they may be called under a lock.
 */

/*
 * Finds a thread of the peer's process by its id in the peer's pid namespace.
 * Returns ESRCH, or EOPNOTSUPP and a reason.
 */
int peer_thread_own(const struct peer *, uint32_t tid, struct peer_thread *,
    struct reason *);
/* Finds such a thread, or the only thread of a child. */
int peer_thread_other(const struct peer *, uint32_t tid, struct peer_thread *,
    struct reason *);
/*
 * Finds a thread by its id in dtd's namespace.  ESRCH, also for an exiting one.
 */
int peer_thread_get(pid_t tid, struct peer_thread *);
/* Returns whether the thread still exists and is not exiting. */
int peer_thread_lives(const struct peer_thread *);
int peer_thread_same(const struct peer_thread *, const struct peer_thread *);

#endif /* DAEMON_DEVICE_PEER_THREAD_H */
