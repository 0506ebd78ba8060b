/* SPDX-License-Identifier: ISC */
/*
 * Serializes starting processes with closing descriptors.  Until a child
 * executes its program it holds copies of all descriptors, even O_CLOEXEC ones,
 * so what is closed here meanwhile stays open.  A BPF link kept open that way
 * stays attached besides the next one, so each hit counts twice, or (before
 * Linux 6.10) the next one cannot attach.  A thread that starts a process holds
 * this lock, and so does a thread that closes such a descriptor.  Nothing that
 * blocks is done with it held.
 */
#ifndef DAEMON_BASE_SPAWN_LOCK_H
#define DAEMON_BASE_SPAWN_LOCK_H

void spawn_lock(void);
void spawn_unlock(void);
/* Closes a descriptor with the lock held. */
void spawn_lock_close(int fd);

#endif /* DAEMON_BASE_SPAWN_LOCK_H */
