/* SPDX-License-Identifier: ISC */
/* Sends and receives messages with descriptors over a UNIX socket. */
#ifndef DAEMON_BASE_FDMSG_H
#define DAEMON_BASE_FDMSG_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#define FDMSG_MAXFDS 4

/*
 * Sends one message and blocks while the socket's buffer is full.  Returns 0 or
 * errno.
 */
int fdmsg_send(int sock, struct iovec *iov, size_t niov, const int *fds,
    unsigned int nfds);
/* Sends likewise, but returns EAGAIN instead of blocking. */
int fdmsg_send_now(int sock, struct iovec *iov, size_t niov, const int *fds,
    unsigned int nfds);
/*
 * Receives one message.  Returns its length, 0 if the peer has closed the
 * socket, or -1 with errno; EMSGSIZE: the message is longer than size.
 * Descriptors are O_CLOEXEC; those beyond maxfds are closed.
 */
ssize_t fdmsg_recv(int sock, void *buf, size_t size, int flags, int *fds,
    unsigned int maxfds, unsigned int *nfds);

#endif /* DAEMON_BASE_FDMSG_H */
