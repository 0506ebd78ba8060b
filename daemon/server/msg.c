/* SPDX-License-Identifier: ISC */
/* A frame on its way, see msg.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/server/msg.h"

void
frame_init(struct frame *fr)
{
	memset(fr, 0, sizeof(*fr));
	fr->fr_outfd = -1;
}

void
frame_reset(struct frame *fr)
{
	while (fr->fr_nfds > 0)
		close(fr->fr_fds[--fr->fr_nfds]);
	if (fr->fr_outfd != -1)
		close(fr->fr_outfd);
	free(fr->fr_in);
	free(fr->fr_out);
	frame_init(fr);
}

/* Keeps descriptors that came along.  Those of further pieces of the same
 * frame, when there is no room for them, are closed on the spot.  There is
 * room for all that a message can have, so what is cut off is what the
 * kernel had no descriptor for. */
static void
frame_takefds(struct frame *fr, struct msghdr *msg)
{
	struct cmsghdr *c;
	size_t i, n;
	int fd;

	if (msg->msg_flags & MSG_CTRUNC)
		fr->fr_cut = 1;
	for (c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (fr->fr_nfds < FRAME_MAXFDS)
				fr->fr_fds[fr->fr_nfds++] = fd;
			else
				close(fd);
		}
	}
}

ssize_t
frame_recv(struct frame *fr, int sock)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(FRAME_MAXFDS * sizeof(int))];
	} cm;
	struct iovec iov;
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = cm.buf,
		.msg_controllen = sizeof(cm.buf) };
	size_t off = fr->fr_inlen;
	ssize_t n;

	if (off < sizeof(fr->fr_hdr)) {
		iov.iov_base = (char *)&fr->fr_hdr + off;
		iov.iov_len = sizeof(fr->fr_hdr) - off;
	} else {
		off -= sizeof(fr->fr_hdr);
		iov.iov_base = fr->fr_in + off;
		iov.iov_len = fr->fr_hdr.wh_length - off;
	}
	n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n > 0) {
		frame_takefds(fr, &msg);
		fr->fr_inlen += n;
	}
	return n;
}

int
frame_complete(const struct frame *fr)
{
	return fr->fr_inlen >= sizeof(fr->fr_hdr) &&
	    fr->fr_inlen == sizeof(fr->fr_hdr) + fr->fr_hdr.wh_length;
}

int
frame_send(struct frame *fr, int sock)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} cm;
	struct iovec iov = { fr->fr_out + fr->fr_outoff,
		fr->fr_outlen - fr->fr_outoff };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (fr->fr_outfd != -1) {
		memset(&cm, 0, sizeof(cm));
		cm.hdr.cmsg_len = CMSG_LEN(sizeof(int));
		cm.hdr.cmsg_level = SOL_SOCKET;
		cm.hdr.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&cm.hdr), &fr->fr_outfd, sizeof(int));
		msg.msg_control = cm.buf;
		msg.msg_controllen = sizeof(cm.buf);
	}
	n = sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n == -1)
		return errno == EINTR ? EAGAIN : errno;
	if (fr->fr_outfd != -1) {
		close(fr->fr_outfd);
		fr->fr_outfd = -1;
	}
	fr->fr_outoff += n;
	return fr->fr_outoff == fr->fr_outlen ? 0 : EAGAIN;
}
