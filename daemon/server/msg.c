/* SPDX-License-Identifier: ISC */
/* Reads and writes messages on non-blocking sockets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/server/msg.h"

void
msg_init(struct msg *mg)
{
	memset(mg, 0, sizeof(*mg));
	mg->msg_outfd = -1;
}

void
msg_reset(struct msg *mg)
{
	while (mg->msg_nfds > 0)
		close(mg->msg_fds[--mg->msg_nfds]);
	if (mg->msg_outfd != -1)
		close(mg->msg_outfd);
	free(mg->msg_in);
	free(mg->msg_out);
	msg_init(mg);
}

/*
 * Stores received descriptors.  Those in later pieces of the message that
 * exceed the array are closed.  The array has space for all that one piece can
 * carry, so a truncation means that the kernel had no descriptor left.
 */
static void
msg_takefds(struct msg *mg, struct msghdr *msg)
{
	struct cmsghdr *c;
	size_t i, n;
	int fd;

	if (msg->msg_flags & MSG_CTRUNC)
		mg->msg_cut = 1;
	for (c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (mg->msg_nfds < MSG_MAXFDS)
				mg->msg_fds[mg->msg_nfds++] = fd;
			else
				close(fd);
		}
	}
}

ssize_t
msg_recv(struct msg *mg, int sock)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(MSG_MAXFDS * sizeof(int))];
	} cm;
	struct iovec iov;
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = cm.buf,
		.msg_controllen = sizeof(cm.buf) };
	size_t off = mg->msg_inlen;
	ssize_t n;

	if (off < sizeof(mg->msg_hdr)) {
		iov.iov_base = (char *)&mg->msg_hdr + off;
		iov.iov_len = sizeof(mg->msg_hdr) - off;
	} else {
		off -= sizeof(mg->msg_hdr);
		iov.iov_base = mg->msg_in + off;
		iov.iov_len = mg->msg_hdr.wh_length - off;
	}
	n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n > 0) {
		msg_takefds(mg, &msg);
		mg->msg_inlen += n;
	}
	return n;
}

int
msg_complete(const struct msg *mg)
{
	return mg->msg_inlen >= sizeof(mg->msg_hdr) &&
	    mg->msg_inlen == sizeof(mg->msg_hdr) + mg->msg_hdr.wh_length;
}

int
msg_send(struct msg *mg, int sock)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} cm;
	struct iovec iov = { mg->msg_out + mg->msg_outoff,
		mg->msg_outlen - mg->msg_outoff };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (mg->msg_outfd != -1) {
		memset(&cm, 0, sizeof(cm));
		cm.hdr.cmsg_len = CMSG_LEN(sizeof(int));
		cm.hdr.cmsg_level = SOL_SOCKET;
		cm.hdr.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&cm.hdr), &mg->msg_outfd, sizeof(int));
		msg.msg_control = cm.buf;
		msg.msg_controllen = sizeof(cm.buf);
	}
	n = sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n == -1)
		return errno == EINTR ? EAGAIN : errno;
	if (mg->msg_outfd != -1) {
		close(mg->msg_outfd);
		mg->msg_outfd = -1;
	}
	mg->msg_outoff += n;
	return mg->msg_outoff == mg->msg_outlen ? 0 : EAGAIN;
}
