/* SPDX-License-Identifier: ISC */
/*
 * Closes descriptors that an unprivileged client sent.  The last close of a
 * lingering socket blocks as long as the socket's owner likes, and so does
 * closing a socket whose queue holds such descriptors.  Only a separate thread
 * waits for it.
 */
#ifndef DAEMON_BASE_CLOSE_ASYNC_H
#define DAEMON_BASE_CLOSE_ASYNC_H

struct work;

/*
 * Closes the descriptors, then calls w_done (w may be NULL) on the control
 * thread.  The caller must not use them any more.
 */
void close_async(const int *fds, int nfds, struct work *w);

#endif /* DAEMON_BASE_CLOSE_ASYNC_H */
