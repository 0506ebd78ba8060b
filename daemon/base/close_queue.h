/* SPDX-License-Identifier: ISC */
/*
 * Closes descriptors of files on a thread, for callers that hold a lock.  A
 * close can take seconds: the last one of a deleted file frees its blocks, the
 * last one of a container's root directory may unmount its file system.
 */
#ifndef DAEMON_BASE_CLOSE_QUEUE_H
#define DAEMON_BASE_CLOSE_QUEUE_H

/* The caller must not use the descriptor any more.  Any thread. */
void close_queue(int fd);

#endif /* DAEMON_BASE_CLOSE_QUEUE_H */
