/* SPDX-License-Identifier: ISC */
/*
 * The control socket without libdt: messages that a client should not send.
 *
 *	wire connect [DEVICE]	to the service
 *	wire send cmd=N [ver=N] [tag=N] [err=N] [len=N] [res=N]
 *		[int=N|hex=BYTES|pad=N] [fds=ns|swap|one|three]
 *		len defaults to the length of the payload
 *	wire recv		a reply: its errno; TAG or COMMAND if these are not
 *				those sent last, EOF
 *	wire eof		EOF, if the daemon closed the connection
 *	wire close
 */
#ifndef ASK_WIRE_H
#define ASK_WIRE_H

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

#include "wire/wire.h"

#include "tests/run/prog/ask_name.h"

#define WIRE_PATIENCE 60000 /* ms; the case has its own limit */

static int wire_sock = -1;
static struct wire_hdr wire_last; /* header that was sent last */

static const char *
wire_connect(const struct words *w)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/%s", getenv("ASK_DIR"),
	    w->wd_n > 2 ? w->wd_v[2] : "dt");
	wire_sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(wire_sock, (struct sockaddr *)&sun, sizeof(sun)) == -1)
		return name_errno(errno);
	return "0";
}

/* Opens the descriptors to send; returns their number. */
static int
wire_fds(const char *which, int *fds)
{
	if (which == NULL)
		return 0;
	fds[0] = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	fds[1] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	fds[2] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (strcmp(which, "swap") == 0) {
		int fd = fds[0];

		fds[0] = fds[1];
		fds[1] = fd;
	}
	return strcmp(which, "one") == 0  ? 1
	    : strcmp(which, "three") == 0 ? 3
					  : 2;
}

static const char *
wire_sendmsg(const void *data, size_t nbytes, const char *which)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))];
	struct iovec iov = { (void *)data, nbytes };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int fds[3], i, n = wire_fds(which, fds), r;

	if (n > 0) {
		memset(control, 0, sizeof(control));
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		CMSG_FIRSTHDR(&msg)->cmsg_level = SOL_SOCKET;
		CMSG_FIRSTHDR(&msg)->cmsg_type = SCM_RIGHTS;
		CMSG_FIRSTHDR(&msg)->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), fds, n * sizeof(int));
	}
	r = sendmsg(wire_sock, &msg, MSG_NOSIGNAL);
	for (i = 0; n > 0 && i < 3; i++)
		close(fds[i]);
	return r == -1 ? name_errno(errno) : "0";
}

static const char *
wire_send(const struct words *w)
{
	static uint8_t message[2 * WIRE_MAXMSG];
	const char *hex = name_opt(w, "hex"), *num = name_opt(w, "int");
	uint8_t *payload = message + sizeof(wire_last);
	size_t n = name_optnum(w, "pad", 0);
	int v;

	memset(message, 0, sizeof(message));
	if (hex != NULL)
		n = name_hex(hex, payload, WIRE_MAXMSG);
	if (num != NULL) {
		v = name_num(num);
		memcpy(payload, &v, sizeof(v));
		n = sizeof(v);
	}
	wire_last = (struct wire_hdr){
		.wh_version = name_optnum(w, "ver", WIRE_VERSION),
		.wh_command = name_optnum(w, "cmd", WIRE_OPEN),
		.wh_tag = name_optnum(w, "tag", 7),
		.wh_error = name_optnum(w, "err", 0),
		.wh_length = name_optnum(w, "len", n),
		.wh_reserved = name_optnum(w, "res", 0),
	};
	memcpy(message, &wire_last, sizeof(wire_last));
	return wire_sendmsg(message, sizeof(wire_last) + n, name_opt(w, "fds"));
}

/* Reads nbytes.  Returns 1, or 0 at the end. */
static int
wire_read(void *buf, size_t nbytes)
{
	struct pollfd pfd = { .fd = wire_sock, .events = POLLIN };
	ssize_t n;
	char *p = buf;

	while (nbytes > 0) {
		if (poll(&pfd, 1, WIRE_PATIENCE) != 1)
			errx(2, "wire: nothing comes");
		n = recv(wire_sock, p, nbytes, 0);
		if (n <= 0)
			return 0;
		p += n;
		nbytes -= n;
	}
	return 1;
}

static const char *
wire_recv(const struct words *w)
{
	static uint8_t payload[WIRE_MAXMSG];
	struct wire_hdr h;

	(void)w;
	if (!wire_read(&h, sizeof(h)))
		return "EOF";
	if (h.wh_length > WIRE_MAXPAYLOAD || !wire_read(payload, h.wh_length))
		return "LENGTH";
	if (h.wh_version != WIRE_VERSION || h.wh_reserved != 0)
		return "HEADER";
	if (h.wh_tag != wire_last.wh_tag)
		return "TAG";
	if (h.wh_command != wire_last.wh_command)
		return "COMMAND";
	return h.wh_error == 0 ? "0" : name_errno(h.wh_error);
}

static const char *
wire_eof(const struct words *w)
{
	char c;

	(void)w;
	return wire_read(&c, 1) ? "DATA" : "EOF";
}

static const char *
wire_close(const struct words *w)
{
	(void)w;
	close(wire_sock);
	wire_sock = -1;
	return "0";
}

static const struct {
	const char *name;
	const char *(*fn)(const struct words *);
} wire_rows[] = {
	{ "connect", wire_connect },
	{ "send", wire_send },
	{ "recv", wire_recv },
	{ "eof", wire_eof },
	{ "close", wire_close },
};

static const char *
wire_step(const struct words *w)
{
	size_t i;

	for (i = 0; i < sizeof(wire_rows) / sizeof(wire_rows[0]); i++)
		if (strcmp(wire_rows[i].name, name_word(w, 1)) == 0)
			return wire_rows[i].fn(w);
	errx(2, "wire %s: not known", w->wd_v[1]);
}

#endif /* ASK_WIRE_H */
