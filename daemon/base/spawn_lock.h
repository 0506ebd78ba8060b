/* SPDX-License-Identifier: ISC */
/*
 * Processes that are being started.  Until such a one runs its own program it
 * has copies of all our descriptors, O_CLOEXEC or not: what is closed here
 * meanwhile stays open.  A BPF link that stays like that is attached beside
 * the next one, so that each hit counts twice, or (before Linux 6.10) lets none
 * be attached.  Who starts a process holds this lock, and who closes what has
 * to be gone when it is closed.  Nothing else is waited for with it held.
 */
#ifndef DAEMON_BASE_SPAWN_LOCK_H
#define DAEMON_BASE_SPAWN_LOCK_H

void spawn_lock(void);
void spawn_unlock(void);
/* Closes with the lock held. */
void spawn_lock_close(int fd);

#endif /* DAEMON_BASE_SPAWN_LOCK_H */
