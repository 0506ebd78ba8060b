/* SPDX-License-Identifier: ISC */
/* Messages with descriptors over a UNIX socket. */
#ifndef DAEMON_BASE_FDMSG_H
#define DAEMON_BASE_FDMSG_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#define FDMSG_MAXFDS 4

/* Sends one message: 0 or errno.  Waits for room. */
int fdmsg_send(int sock, struct iovec *iov, size_t niov, const int *fds,
    unsigned int nfds);
/* The same, but EAGAIN: there is no room. */
int fdmsg_send_now(int sock, struct iovec *iov, size_t niov, const int *fds,
    unsigned int nfds);
/*
 * Receives one: its length, or -1 with errno; 0: the other end is closed.
 * EMSGSIZE: it is longer than size.  Descriptors are O_CLOEXEC; those that have
 * no place in fds (of maxfds) are closed.
 */
ssize_t fdmsg_recv(int sock, void *buf, size_t size, int flags, int *fds,
    unsigned int maxfds, unsigned int *nfds);

#endif /* DAEMON_BASE_FDMSG_H */
