/* SPDX-License-Identifier: ISC */
/*
 * A daemon that a test plays itself, in a thread, on a real listening socket:
 * for behaviour that a real dtd never shows.
 */
#ifndef TEST_LIBDT_PEER_H
#define TEST_LIBDT_PEER_H

#include <sys/socket.h>
#include <sys/un.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <libdt.h>
#include "wire/wire.h"

#define PEER_CLOCKOFF 1700000000000000000 /* sent in the reply to open */

struct peer {
	char pe_dir[64];
	char pe_path[96]; /* for dt_open() */
	int pe_listen;
	int pe_ctl;
	int pe_data;		     /* the daemon's end */
	struct wire_hdr pe_hdr;	     /* last request: header */
	uint8_t pe_req[WIRE_MAXMSG]; /* last request: payload */
	pthread_t pe_thread;
	void (*pe_script)(struct peer *);
};

/*
 * In the thread of the peer: functions that the scripts consist of.  A failure
 * there is a fault of the test and ends the program, because cmocka cannot jump
 * out of another thread.
 */
#define PEER_ASSERT(x) \
	do { \
		if (!(x)) { \
			fprintf(stderr, "%s:%d: peer: %s\n", __FILE__, \
			    __LINE__, #x); \
			abort(); \
		} \
	} while (0)

static inline void
peer_send(int fd, const void *buf, size_t nbytes)
{
	const uint8_t *p = buf;
	ssize_t n;

	while (nbytes > 0) {
		n = send(fd, p, nbytes, MSG_NOSIGNAL);
		if (n == -1)
			return; /* the client may disconnect */
		p += n;
		nbytes -= (size_t)n;
	}
}

static inline int
peer_recv(int fd, void *buf, size_t nbytes)
{
	return nbytes == 0 ||
	    recv(fd, buf, nbytes, MSG_WAITALL) == (ssize_t)nbytes;
}

/* Waits for a request.  Returns 0 if the client has disconnected. */
static inline int
peer_get(struct peer *pe)
{
	if (!peer_recv(pe->pe_ctl, &pe->pe_hdr, sizeof(pe->pe_hdr)))
		return 0;
	PEER_ASSERT(pe->pe_hdr.wh_version == WIRE_VERSION);
	PEER_ASSERT(pe->pe_hdr.wh_error == 0);
	PEER_ASSERT(pe->pe_hdr.wh_length <= WIRE_MAXPAYLOAD);
	return peer_recv(pe->pe_ctl, pe->pe_req, pe->pe_hdr.wh_length);
}

/* Replies to the last request. */
static inline void
peer_reply(struct peer *pe, int error, const void *payload, size_t nbytes)
{
	struct wire_hdr hdr = pe->pe_hdr;

	hdr.wh_error = (uint32_t)error;
	hdr.wh_length = (uint32_t)nbytes;
	peer_send(pe->pe_ctl, &hdr, sizeof(hdr));
	peer_send(pe->pe_ctl, payload, nbytes);
}

/* Sends a reply that begins with a wire_list. */
static inline void
peer_list(struct peer *pe, uint32_t total, uint32_t count, const void *ents,
    size_t nbytes)
{
	static uint8_t buf[WIRE_MAXMSG];
	struct wire_list wl = { total, count };

	memcpy(buf, &wl, sizeof(wl));
	memcpy(buf + sizeof(wl), ents, nbytes);
	peer_reply(pe, 0, buf, sizeof(wl) + nbytes);
}

/* Likewise, with the header of a reply with symbols, valid for all times. */
static inline void
peer_syms(struct peer *pe, uint32_t total, uint32_t count, const void *ents,
    size_t nbytes)
{
	static uint8_t buf[WIRE_MAXMSG];
	struct wire_syms ws = { .ws_total = total,
		.ws_count = count,
		.ws_until = UINT64_MAX };

	memcpy(buf, &ws, sizeof(ws));
	memcpy(buf + sizeof(ws), ents, nbytes);
	peer_reply(pe, 0, buf, sizeof(ws) + nbytes);
}

/* Sends a frame and n copies of a descriptor with it. */
static inline void
peer_sendfd(struct peer *pe, const void *frame, size_t nbytes, int fd, int n)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))];
	struct iovec iov = { (void *)frame, nbytes };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cm;
	int i;

	memset(control, 0, sizeof(control));
	msg.msg_control = control;
	msg.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
	cm = CMSG_FIRSTHDR(&msg);
	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
	for (i = 0; i < n; i++)
		memcpy(CMSG_DATA(cm) + (size_t)i * sizeof(int), &fd,
		    sizeof(fd));
	PEER_ASSERT(sendmsg(pe->pe_ctl, &msg, MSG_NOSIGNAL) == (ssize_t)nbytes);
}

/* Reads WIRE_OPEN, which must have two descriptors. */
static inline void
peer_hello(struct peer *pe)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))];
	uint8_t frame[sizeof(struct wire_hdr) + sizeof(struct wire_open)];
	struct iovec iov = { frame, sizeof(frame) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cm;
	int fds[2];

	PEER_ASSERT(
	    recvmsg(pe->pe_ctl, &msg, MSG_CMSG_CLOEXEC) == sizeof(frame));
	memcpy(&pe->pe_hdr, frame, sizeof(pe->pe_hdr));
	PEER_ASSERT(pe->pe_hdr.wh_command == WIRE_OPEN);
	cm = CMSG_FIRSTHDR(&msg);
	PEER_ASSERT(cm != NULL && cm->cmsg_len == CMSG_LEN(sizeof(fds)));
	memcpy(fds, CMSG_DATA(cm), sizeof(fds));
	close(fds[0]);
	close(fds[1]);
}

/* Grants it; from then on pe_data is the daemon's end of the data socket. */
static inline void
peer_welcome(struct peer *pe)
{
	struct {
		struct wire_hdr hdr;
		struct wire_opened wp;
	} __attribute__((packed)) frame;
	int sp[2];

	memset(&frame, 0, sizeof(frame));
	frame.hdr = pe->pe_hdr;
	frame.hdr.wh_length = sizeof(frame.wp);
	frame.wp.wp_clockoff = PEER_CLOCKOFF;
	frame.wp.wp_ncpu = 2;
	frame.wp.wp_rights = RIGHT_ALL;
	/* unterminated, which no real dtd sends */
	memset(frame.wp.wp_release, 'r', sizeof(frame.wp.wp_release));
	PEER_ASSERT(
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sp) == 0);
	peer_sendfd(pe, &frame, sizeof(frame), sp[1], 1);
	close(sp[1]);
	pe->pe_data = sp[0];
}

static inline void
peer_accept(struct peer *pe)
{
	pe->pe_ctl = accept4(pe->pe_listen, NULL, NULL, SOCK_CLOEXEC);
	PEER_ASSERT(pe->pe_ctl != -1);
}

/* Plays a daemon that restarts: disconnects, and accepts the next client. */
static inline void
peer_restart(struct peer *pe)
{
	close(pe->pe_ctl);
	peer_accept(pe);
}

static inline void *
peer_main(void *arg)
{
	struct peer *pe = arg;

	peer_accept(pe);
	pe->pe_script(pe);
	close(pe->pe_ctl);
	if (pe->pe_data != -1)
		close(pe->pe_data);
	return NULL;
}

/* In the test's thread: starts a peer that plays a script. */
static inline struct peer *
peer_start(void (*script)(struct peer *))
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	const char *tmp = getenv("TMPDIR");
	struct peer *pe = calloc(1, sizeof(*pe));

	assert_non_null(pe);
	pe->pe_script = script;
	pe->pe_data = -1;
	snprintf(pe->pe_dir, sizeof(pe->pe_dir), "%.40s/libdt.XXXXXX",
	    tmp != NULL ? tmp : "/tmp");
	assert_non_null(mkdtemp(pe->pe_dir));
	snprintf(pe->pe_path, sizeof(pe->pe_path), "%s/dt", pe->pe_dir);
	memcpy(sun.sun_path, pe->pe_path, sizeof(pe->pe_path));
	pe->pe_listen = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(pe->pe_listen, (struct sockaddr *)&sun,
			     sizeof(sun)),
	    0);
	assert_int_equal(listen(pe->pe_listen, 1), 0);
	assert_int_equal(pthread_create(&pe->pe_thread, NULL, peer_main, pe),
	    0);
	return pe;
}

/* Opens the peer, which must accept. */
static inline struct dt *
peer_open(const struct peer *pe, int flags)
{
	struct dt *dt = dt_open(pe->pe_path, flags | DT_OPEN_SERVICE);

	assert_non_null(dt);
	return dt;
}

/* Waits for the script's end. */
static inline void
peer_join(struct peer *pe)
{
	pthread_join(pe->pe_thread, NULL);
}

/* Removes a peer whose script has ended. */
static inline void
peer_free(struct peer *pe)
{
	close(pe->pe_listen);
	unlink(pe->pe_path);
	rmdir(pe->pe_dir);
	free(pe);
}

static inline void
peer_stop(struct peer *pe)
{
	peer_join(pe);
	peer_free(pe);
}

#endif /* TEST_LIBDT_PEER_H */
