/* SPDX-License-Identifier: ISC */
/*
 * A client with its own implementation of the protocol, so that it can also
 * send invalid messages.  No wait here is longer than PROG_DEADLINE.
 */
#ifndef RAW_H
#define RAW_H

#include <sys/socket.h>
#include <sys/un.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/prog.h"
#include "wire/wire.h"

#define RAW_MAXFDS 250 /* the kernel's limit is 253 */

struct raw {
	int rw_sock; /* control, -1: none */
	int rw_data; /* -1: none */
	uint32_t rw_tag;
	struct wire_hdr rw_hdr;	       /* last reply: header */
	uint8_t rw_reply[WIRE_MAXMSG]; /* last reply: payload */
};

static inline void
raw_close(struct raw *rw)
{
	if (rw->rw_sock != -1)
		close(rw->rw_sock);
	if (rw->rw_data != -1)
		close(rw->rw_data);
	rw->rw_sock = rw->rw_data = -1;
}

/* Returns 0 or an errno. */
static inline int
raw_connect(struct raw *rw, const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int error;

	rw->rw_data = -1;
	rw->rw_tag = 0;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%.100s", path);
	if ((rw->rw_sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) ==
	    -1)
		err(1, "socket");
	if (connect(rw->rw_sock, (struct sockaddr *)&sun, sizeof(sun)) == 0)
		return 0;
	error = errno;
	raw_close(rw);
	return error;
}

/* Builds a message in buf and returns its length. */
static inline size_t
raw_message(struct raw *rw, uint8_t *buf, uint32_t command, const void *payload,
    size_t len)
{
	const struct wire_hdr h = { .wh_version = WIRE_VERSION,
		.wh_command = command,
		.wh_tag = ++rw->rw_tag,
		.wh_length = len };

	memcpy(buf, &h, sizeof(h));
	if (len > 0)
		memcpy(buf + sizeof(h), payload, len);
	return sizeof(h) + len;
}

/*
 * Sends bytes with descriptors, as many as the socket accepts.  Returns like
 * sendmsg(2).
 */
static inline ssize_t
raw_send_fds(struct raw *rw, const void *buf, size_t len, const int *fds,
    unsigned int nfds)
{
	_Alignas(
	    struct cmsghdr) char control[CMSG_SPACE(RAW_MAXFDS * sizeof(int))];
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cm;

	if (nfds > 0) {
		memset(control, 0, sizeof(control));
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		cm = CMSG_FIRSTHDR(&msg);
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(cm), fds, nfds * sizeof(int));
	}
	return sendmsg(rw->rw_sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static inline ssize_t
raw_send(struct raw *rw, const void *buf, size_t len)
{
	return raw_send_fds(rw, buf, len, NULL, 0);
}

/*
 * Receives up to len bytes within the deadline, and a descriptor to *fdp.
 * Returns 0 if the daemon has closed.
 */
static inline ssize_t
raw_recv(struct raw *rw, void *buf, size_t len, int *fdp)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { buf, len };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct pollfd pfd = { .fd = rw->rw_sock, .events = POLLIN };
	struct cmsghdr *cm;
	ssize_t n;

	if (poll(&pfd, 1, PROG_DEADLINE * 1000) != 1)
		errx(1, "the daemon does not answer");
	if ((n = recvmsg(rw->rw_sock, &msg, MSG_CMSG_CLOEXEC)) == -1) {
		if (errno == ECONNRESET)
			return 0;
		err(1, "recvmsg");
	}
	cm = CMSG_FIRSTHDR(&msg);
	if (n > 0 && cm != NULL && cm->cmsg_type == SCM_RIGHTS)
		memcpy(fdp, CMSG_DATA(cm), sizeof(int));
	return n;
}

/*
 * Reads a whole reply, which must be well-formed.  Returns its errno, or -1 if
 * the daemon has closed.
 */
static inline int
raw_reply(struct raw *rw)
{
	size_t have = 0, want = sizeof(rw->rw_hdr);
	ssize_t n;

	while (have < want) {
		n = have < sizeof(rw->rw_hdr)
		    ? raw_recv(rw, (uint8_t *)&rw->rw_hdr + have, want - have,
			  &rw->rw_data)
		    : raw_recv(rw, rw->rw_reply + have - sizeof(rw->rw_hdr),
			  want - have, &rw->rw_data);
		if (n == 0 && have == 0)
			return -1;
		if (n == 0)
			errx(1, "the daemon hung up within a reply");
		have += n;
		if (have != sizeof(rw->rw_hdr))
			continue;
		if (rw->rw_hdr.wh_version != WIRE_VERSION ||
		    rw->rw_hdr.wh_length > WIRE_MAXPAYLOAD ||
		    rw->rw_hdr.wh_error > 4095)
			errx(1, "a reply that makes no sense");
		want += rw->rw_hdr.wh_length;
	}
	return rw->rw_hdr.wh_error;
}

/* Sends a request and reads the reply. */
static inline int
raw_call(struct raw *rw, uint32_t command, const void *payload, size_t len)
{
	uint8_t buf[WIRE_MAXMSG];
	int error;

	len = raw_message(rw, buf, command, payload, len);
	if (raw_send(rw, buf, len) != (ssize_t)len)
		return -1;
	error = raw_reply(rw);
	if (error != -1 &&
	    (rw->rw_hdr.wh_command != command ||
		rw->rw_hdr.wh_tag != rw->rw_tag))
		errx(1, "the reply to another request");
	return error;
}

/* The namespaces of this process, opened once. */
static inline const int *
raw_namespaces(void)
{
	static int fds[2] = { -1, -1 };

	if (fds[0] == -1) {
		fds[0] = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
		fds[1] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
		if (fds[0] == -1 || fds[1] == -1)
			err(1, "/proc/self/ns");
	}
	return fds;
}

/* Sends the first message, with its descriptors. */
static inline void
raw_send_open_mode(struct raw *rw, uint32_t mode)
{
	const struct wire_open wo = { .wo_mode = mode };
	uint8_t buf[256];
	size_t len = raw_message(rw, buf, WIRE_OPEN, &wo, sizeof(wo));

	/* after a refusal the connection may be closed already */
	if (raw_send_fds(rw, buf, len, raw_namespaces(), 2) != (ssize_t)len &&
	    errno != EPIPE)
		err(1, "open");
}

static inline void
raw_send_open(struct raw *rw)
{
	raw_send_open_mode(rw, 0);
}

/* Connects and opens.  Returns 0, an errno, or -1. */
static inline int
raw_open(struct raw *rw, const char *path)
{
	int error = raw_connect(rw, path);

	if (error != 0)
		return error;
	raw_send_open(rw);
	return raw_reply(rw);
}

#endif /* RAW_H */
