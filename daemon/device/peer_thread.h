/* SPDX-License-Identifier: ISC */
/* Finds threads of a client, and of its children, by their numbers. */
#ifndef DAEMON_DEVICE_PEER_THREAD_H
#define DAEMON_DEVICE_PEER_THREAD_H

#include "daemon/device/cdevsw.h"

/* A thread, as dtd's pid namespace has it, and not another of its number. */
struct peer_thread {
	pid_t th_tid; /* 0: none */
	uint64_t th_start;
};

/*
 * All of these query the kernel for microseconds, however many threads a process
 * has and whatever it does; they may be called under a lock.
 */

/* A thread of the peer's process, by the number that it has there.  ESRCH; or
 * EOPNOTSUPP with a text (IOCTL_TEXT bytes). */
int peer_thread_own(const struct peer *, uint32_t tid, struct peer_thread *,
    char *text);
/* The same, or the only thread of a child. */
int peer_thread_other(const struct peer *, uint32_t tid, struct peer_thread *,
    char *text);
/* What dtd has under this number now: ESRCH, also for one that exits. */
int peer_thread_get(pid_t tid, struct peer_thread *);
/* Whether it is still there, and does not exit. */
int peer_thread_lives(const struct peer_thread *);
int peer_thread_same(const struct peer_thread *, const struct peer_thread *);

#endif /* DAEMON_DEVICE_PEER_THREAD_H */
