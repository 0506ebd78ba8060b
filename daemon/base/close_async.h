/* SPDX-License-Identifier: ISC */
/*
 * Closing what an unprivileged client gave us.  The last close of a socket
 * that lingers waits as long as its owner likes, and so does the close of a
 * socket in whose queue such descriptors lie.  A thread of its own waits for
 * it, nobody else.
 */
#ifndef DAEMON_BASE_CLOSE_ASYNC_H
#define DAEMON_BASE_CLOSE_ASYNC_H

struct work;

/* Closes the descriptors, then calls w_done (w may be NULL) on the control
 * thread.  They belong to the closer at once. */
void close_async(const int *fds, int nfds, struct work *w);

#endif /* DAEMON_BASE_CLOSE_ASYNC_H */
