/* SPDX-License-Identifier: ISC */
/* Sends and receives SCM_RIGHTS messages. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/fdmsg.h"

union control {
	struct cmsghdr hdr;
	char room[CMSG_SPACE(FDMSG_MAXFDS * sizeof(int))];
};

static int
send_flags(int sock, struct iovec *iov, size_t niov, const int *fds,
    unsigned int nfds, int flags)
{
	union control control = { .hdr = {
				      .cmsg_len = CMSG_LEN(nfds * sizeof(int)),
				      .cmsg_level = SOL_SOCKET,
				      .cmsg_type = SCM_RIGHTS,
				  } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = niov };
	ssize_t n;

	if (nfds > FDMSG_MAXFDS)
		return EINVAL;
	if (nfds > 0) {
		memcpy(CMSG_DATA(&control.hdr), fds, nfds * sizeof(*fds));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
	}
	do
		n = sendmsg(sock, &msg, MSG_NOSIGNAL | flags);
	while (n == -1 && errno == EINTR);
	return n == -1 ? errno : 0;
}

int
fdmsg_send(int sock, struct iovec *iov, size_t niov, const int *fds,
    unsigned int nfds)
{
	return send_flags(sock, iov, niov, fds, nfds, 0);
}

int
fdmsg_send_now(int sock, struct iovec *iov, size_t niov, const int *fds,
    unsigned int nfds)
{
	return send_flags(sock, iov, niov, fds, nfds, MSG_DONTWAIT);
}

/* Stores the descriptors that fit in fds and closes the rest. */
static void
take_fds(struct msghdr *msg, int *fds, unsigned int maxfds, unsigned int *nfds)
{
	struct cmsghdr *cm;
	size_t i, n;
	int fd;

	for (cm = CMSG_FIRSTHDR(msg); cm != NULL; cm = CMSG_NXTHDR(msg, cm)) {
		if (cm->cmsg_level != SOL_SOCKET || cm->cmsg_type != SCM_RIGHTS)
			continue;
		n = (cm->cmsg_len - CMSG_LEN(0)) / sizeof(fd);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(cm) + i * sizeof(fd), sizeof(fd));
			if (*nfds < maxfds)
				fds[(*nfds)++] = fd;
			else
				close(fd);
		}
	}
}

ssize_t
fdmsg_recv(int sock, void *buf, size_t size, int flags, int *fds,
    unsigned int maxfds, unsigned int *nfds)
{
	struct iovec iov = { buf, size };
	union control control;
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	ssize_t n;

	*nfds = 0;
	do
		n = recvmsg(sock, &msg, flags | MSG_CMSG_CLOEXEC);
	while (n == -1 && errno == EINTR);
	if (n <= 0)
		return n;
	take_fds(&msg, fds, maxfds, nfds);
	if ((msg.msg_flags & MSG_TRUNC) == 0)
		return n;
	while (*nfds > 0)
		close(fds[--*nfds]);
	errno = EMSGSIZE;
	return -1;
}
