/* SPDX-License-Identifier: ISC */
/*
 * One connection of the control socket: frames in, replies out.  The first
 * frame opens the device, the others are ioctls, the end is close.  Every byte
 * that comes is hostile: the length of a frame is checked before its content
 * is waited for, and a client that sends nonsense is told so and closed.
 *
 * One frame at a time: the next is not read before the reply to the last has
 * been taken, so a client that only writes fills its own socket, and what it
 * can make us keep is one frame and one reply.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf.h"
#include "conn.h"
#include "ev.h"
#include "log.h"
#include "right.h"
#include "stream.h"
#include "wire.h"

#define CONN_MAXFDS	2	/* descriptors that come with a frame */

struct conn {
	struct ev	 cn_ev;		/* socket; first: ev is conn */
	TAILQ_ENTRY(conn) cn_entry;
	const struct cdevsw *cn_dev;
	int		 cn_private;
	struct peer	 cn_peer;
	void		*cn_sc;		/* the open, NULL before */
	int		 cn_closed;	/* the peer has gone or must go */
	int		 cn_busy;	/* a command has not been answered */
	struct ioctl_call cn_call;
	int		 cn_fds[CONN_MAXFDS];	/* came with the frame */
	int		 cn_nfds;
	struct wire_hdr	 cn_hdr;	/* of the frame being read */
	uint8_t		*cn_in;		/* its payload, wh_length bytes */
	size_t		 cn_inlen;	/* read so far, header included */
	uint8_t		*cn_out;	/* reply, header included */
	size_t		 cn_outlen;
	size_t		 cn_outoff;	/* sent so far */
	int		 cn_outfd;	/* goes along, -1 if none */
};

TAILQ_HEAD(conns, conn);

static struct conns	conns = TAILQ_HEAD_INITIALIZER(conns);
static int		nconn;

static void conn_event(struct ev *, uint32_t);

int
conn_alloc(int sock, const struct cdevsw *dev, int private)
{
	struct ucred uc;
	socklen_t len = sizeof(uc);
	struct conn *cn;
	int error;

	if (nconn >= CONN_MAX)
		return EMFILE;
	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &uc, &len) == -1)
		return errno;
	if ((cn = calloc(1, sizeof(*cn))) == NULL)
		return ENOMEM;
	cn->cn_dev = dev;
	cn->cn_private = private;
	cn->cn_peer.pr_pid = uc.pid;
	cn->cn_peer.pr_uid = uc.uid;
	cn->cn_peer.pr_gid = uc.gid;
	cn->cn_outfd = -1;
	cn->cn_ev.ev_fd = sock;
	cn->cn_ev.ev_cb = conn_event;
	if ((error = ev_add(&cn->cn_ev, EPOLLIN)) != 0) {
		free(cn);
		return error;
	}
	TAILQ_INSERT_TAIL(&conns, cn, cn_entry);
	nconn++;
	return 0;
}

static void
conn_closefds(struct conn *cn)
{
	while (cn->cn_nfds > 0)
		close(cn->cn_fds[--cn->cn_nfds]);
}

/* Frees what is not needed any more; a command under way keeps the rest. */
static void
conn_free(struct conn *cn)
{
	if (!cn->cn_closed) {
		cn->cn_closed = 1;
		ev_del(&cn->cn_ev);
		close(cn->cn_ev.ev_fd);
	}
	if (cn->cn_busy)
		return;		/* conn_answer() comes back here */
	TAILQ_REMOVE(&conns, cn, cn_entry);
	nconn--;
	if (cn->cn_sc != NULL)
		cn->cn_dev->d_close(cn->cn_sc);
	else if (cn->cn_private)
		dev_closed();
	conn_closefds(cn);
	if (cn->cn_outfd != -1)
		close(cn->cn_outfd);
	free(cn->cn_in);
	free(cn->cn_out);
	free(cn);
}

void
conn_closeall(void)
{
	struct conn *cn, *next;

	for (cn = TAILQ_FIRST(&conns); cn != NULL; cn = next) {
		next = TAILQ_NEXT(cn, cn_entry);
		conn_free(cn);
	}
}

/* Sends what is left of the reply.  Returns 0 when all is sent. */
static int
conn_flush(struct conn *cn)
{
	union {
		struct cmsghdr	hdr;
		char		buf[CMSG_SPACE(sizeof(int))];
	} cm;
	struct iovec iov = { cn->cn_out + cn->cn_outoff,
	    cn->cn_outlen - cn->cn_outoff };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (cn->cn_outfd != -1) {
		memset(&cm, 0, sizeof(cm));
		cm.hdr.cmsg_len = CMSG_LEN(sizeof(int));
		cm.hdr.cmsg_level = SOL_SOCKET;
		cm.hdr.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&cm.hdr), &cn->cn_outfd, sizeof(int));
		msg.msg_control = cm.buf;
		msg.msg_controllen = sizeof(cm.buf);
	}
	n = sendmsg(cn->cn_ev.ev_fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n == -1)
		return errno == EINTR ? EAGAIN : errno;
	if (cn->cn_outfd != -1) {
		close(cn->cn_outfd);
		cn->cn_outfd = -1;
	}
	cn->cn_outoff += n;
	return cn->cn_outoff == cn->cn_outlen ? 0 : EAGAIN;
}

/* Ready for the next frame. */
static void
conn_reset(struct conn *cn)
{
	free(cn->cn_in);
	cn->cn_in = NULL;
	free(cn->cn_out);
	cn->cn_out = NULL;
	cn->cn_inlen = cn->cn_outlen = cn->cn_outoff = 0;
	conn_closefds(cn);
}

/* Flushes, and waits for what the flush waits for. */
static void
conn_push(struct conn *cn)
{
	switch (conn_flush(cn)) {
	case 0:
		conn_reset(cn);
		if (ev_mod(&cn->cn_ev, EPOLLIN) != 0)
			conn_free(cn);
		break;
	case EAGAIN:
		if (ev_mod(&cn->cn_ev, EPOLLOUT) != 0)
			conn_free(cn);
		break;
	default:
		conn_free(cn);
	}
}

/* The command under way is done: cn_call has what to send. */
static void
conn_answer(struct conn *cn, int error)
{
	struct wire_hdr h = { .wh_version = WIRE_VERSION,
	    .wh_command = cn->cn_hdr.wh_command, .wh_tag = cn->cn_hdr.wh_tag,
	    .wh_error = error };

	cn->cn_busy = 0;
	if (cn->cn_closed) {
		conn_free(cn);
		return;
	}
	if (error != 0 && error != ENOSPC) {
		cn->cn_call.ic_outlen = strlen(cn->cn_call.ic_text);
		memcpy(cn->cn_call.ic_out, cn->cn_call.ic_text,
		    cn->cn_call.ic_outlen);
	}
	h.wh_length = cn->cn_call.ic_outlen;
	memcpy(cn->cn_out, &h, sizeof(h));
	cn->cn_outlen = sizeof(h) + h.wh_length;
	conn_push(cn);
}

void
ioctl_done(struct ioctl_call *ic, int error)
{
	conn_answer((struct conn *)((char *)ic -
	    offsetof(struct conn, cn_call)), error);
}

/* Whether fd is the peer's namespace of this kind, and the daemon's. */
static int
conn_namespace(const struct conn *cn, const char *kind, int fd, int *own)
{
	char path[64];
	struct stat told, real, mine;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)cn->cn_peer.pr_pid,
	    kind);
	if (fstat(fd, &told) == -1 || stat(path, &real) == -1)
		return EPERM;
	if (told.st_ino != real.st_ino || told.st_dev != real.st_dev)
		return EPERM;
	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	*own = stat(path, &mine) == 0 && mine.st_ino == real.st_ino &&
	    mine.st_dev == real.st_dev;
	return 0;
}

/* The peer proves its namespaces, and gets its rights. */
static int
conn_identify(struct conn *cn)
{
	char *text = cn->cn_call.ic_text;
	int ownpid, ownuser;

	if (cn->cn_nfds != 2) {
		snprintf(text, IOCTL_TEXT,
		    "open wants two descriptors: pid and user namespace");
		return EINVAL;
	}
	if (conn_namespace(cn, "pid", cn->cn_fds[0], &ownpid) != 0 ||
	    conn_namespace(cn, "user", cn->cn_fds[1], &ownuser) != 0) {
		snprintf(text, IOCTL_TEXT, "the descriptors sent are not the "
		    "namespaces of process %d", (int)cn->cn_peer.pr_pid);
		return EPERM;
	}
	if (!ownpid) {
		snprintf(text, IOCTL_TEXT,
		    "this daemon serves its own pid namespace only");
		return EPERM;
	}
	right_grant(&cn->cn_peer, ownuser, cn->cn_private);
	return 0;
}

/* WIRE_OPEN, all else has been checked. */
static int
conn_open(struct conn *cn)
{
	const struct wire_open *wo = cn->cn_call.ic_in;
	struct wire_opened *wp = cn->cn_call.ic_out;
	char *text = cn->cn_call.ic_text;
	struct stream *st;
	int clientfd, error;

	if (cn->cn_sc != NULL || cn->cn_call.ic_inlen != sizeof(*wo))
		return EINVAL;
	if ((error = conn_identify(cn)) != 0)
		return error;
	if (!conf.cf_allowdt) {
		snprintf(text, IOCTL_TEXT, "the configuration says "
		    "allowdt = no");
		return EPERM;
	}
	if ((error = stream_alloc(cn->cn_dev, &st, &clientfd)) != 0)
		return error;
	error = cn->cn_dev->d_open(&cn->cn_peer, st, wo->wo_flags, &cn->cn_sc,
	    text);
	if (error != 0) {
		stream_free(st);
		close(clientfd);
		return error;
	}
	stream_start(st, cn->cn_sc);
	if (!cn->cn_private)
		dev_opened();	/* a private connection is counted already */
	memset(wp, 0, sizeof(*wp));
	wp->wp_clockoff = stream_clockoff();
	wp->wp_ncpu = sysconf(_SC_NPROCESSORS_CONF);
	wp->wp_rights = cn->cn_peer.pr_rights;
	snprintf(wp->wp_release, sizeof(wp->wp_release), "%s", DT_RELEASE);
	cn->cn_call.ic_outlen = sizeof(*wp);
	cn->cn_outfd = clientfd;
	return 0;
}

/* ENOTTY, then EPERM, then the length: in this order, and only here. */
static int
conn_ioctl(struct conn *cn)
{
	const struct cdevsw *dev = cn->cn_dev;
	struct ioctl_call *ic = &cn->cn_call;
	const struct ioctl_desc *id = NULL;
	size_t i;

	for (i = 0; i < dev->d_nioctls; i++)
		if (dev->d_ioctls[i].id_cmd == ic->ic_cmd)
			id = &dev->d_ioctls[i];
	if (id == NULL)
		return ENOTTY;
	if ((id->id_rights & cn->cn_peer.pr_rights) == 0) {
		snprintf(ic->ic_text, IOCTL_TEXT,
		    "user %u lacks the right %s", (unsigned)cn->cn_peer.pr_uid,
		    right_name(id->id_rights));
		return EPERM;
	}
	if (ic->ic_inlen < id->id_inmin || ic->ic_inlen > id->id_inmax) {
		snprintf(ic->ic_text, IOCTL_TEXT, "a payload of %zu bytes, "
		    "expected %zu to %zu", ic->ic_inlen, id->id_inmin,
		    id->id_inmax);
		return EINVAL;
	}
	return id->id_fn(cn->cn_sc, ic);
}

/* A whole frame is here. */
static void
conn_frame(struct conn *cn)
{
	struct ioctl_call *ic = &cn->cn_call;
	int error;

	if ((cn->cn_out = malloc(WIRE_MAXFRAME)) == NULL) {
		conn_free(cn);
		return;
	}
	memset(ic, 0, sizeof(*ic));
	ic->ic_cmd = cn->cn_hdr.wh_command;
	ic->ic_in = cn->cn_in;
	ic->ic_inlen = cn->cn_hdr.wh_length;
	ic->ic_out = cn->cn_out + sizeof(struct wire_hdr);
	cn->cn_busy = 1;
	/* Deaf while the command runs; a hang-up is still heard. */
	if (ev_mod(&cn->cn_ev, 0) != 0)
		log_warn("conn: epoll_ctl");
	if (ic->ic_cmd == WIRE_OPEN)
		error = conn_open(cn);
	else if (cn->cn_sc == NULL)
		error = EBADF;
	else
		error = conn_ioctl(cn);
	if (error != IOCTL_LATER)
		conn_answer(cn, error);
}

/* A frame that cannot be answered: says why, as far as the socket takes it. */
static void
conn_refuse(struct conn *cn, int error, const char *why)
{
	struct wire_hdr h = { .wh_version = WIRE_VERSION,
	    .wh_command = cn->cn_hdr.wh_command, .wh_tag = cn->cn_hdr.wh_tag,
	    .wh_error = error, .wh_length = strlen(why) };
	struct iovec iov[2] = { { &h, sizeof(h) },
	    { (char *)why, h.wh_length } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	log_info("process %d of user %u: %s", (int)cn->cn_peer.pr_pid,
	    (unsigned)cn->cn_peer.pr_uid, why);
	(void)sendmsg(cn->cn_ev.ev_fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	conn_free(cn);
}

/* The header is complete.  Returns whether the connection goes on. */
static int
conn_header(struct conn *cn)
{
	const struct wire_hdr *h = &cn->cn_hdr;

	if (h->wh_version != WIRE_VERSION) {
		conn_refuse(cn, EPROTONOSUPPORT,
		    "this daemon speaks another version of the protocol");
		return 0;
	}
	if (h->wh_length > WIRE_MAXPAYLOAD) {
		conn_refuse(cn, EMSGSIZE, "a frame longer than 64 kB");
		return 0;
	}
	if ((cn->cn_in = malloc(h->wh_length + 1)) == NULL) {
		conn_refuse(cn, ENOMEM, "no memory for a frame");
		return 0;
	}
	return 1;
}

/* Keeps descriptors that came along; too many are closed. */
static void
conn_takefds(struct conn *cn, struct msghdr *msg)
{
	struct cmsghdr *c;
	size_t i, n;
	int fd;

	for (c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int),
			    sizeof(fd));
			if (cn->cn_nfds < CONN_MAXFDS)
				cn->cn_fds[cn->cn_nfds++] = fd;
			else
				close(fd);
		}
	}
}

/* Reads some of the frame.  Returns bytes, 0 at the end, -1 with errno. */
static ssize_t
conn_recv(struct conn *cn)
{
	union {
		struct cmsghdr	hdr;
		char		buf[CMSG_SPACE(CONN_MAXFDS * sizeof(int))];
	} cm;
	struct iovec iov;
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
	    .msg_control = cm.buf, .msg_controllen = sizeof(cm.buf) };
	size_t off = cn->cn_inlen;
	ssize_t n;

	if (off < sizeof(cn->cn_hdr)) {
		iov.iov_base = (char *)&cn->cn_hdr + off;
		iov.iov_len = sizeof(cn->cn_hdr) - off;
	} else {
		off -= sizeof(cn->cn_hdr);
		iov.iov_base = cn->cn_in + off;
		iov.iov_len = cn->cn_hdr.wh_length - off;
	}
	n = recvmsg(cn->cn_ev.ev_fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n > 0) {
		conn_takefds(cn, &msg);
		cn->cn_inlen += n;
	}
	return n;
}

static void
conn_read(struct conn *cn)
{
	ssize_t n = conn_recv(cn);

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		conn_free(cn);
		return;
	}
	if (cn->cn_inlen == sizeof(cn->cn_hdr) && cn->cn_in == NULL &&
	    !conn_header(cn))
		return;
	if (cn->cn_in != NULL && cn->cn_inlen ==
	    sizeof(cn->cn_hdr) + cn->cn_hdr.wh_length)
		conn_frame(cn);
}

static void
conn_event(struct ev *ev, uint32_t events)
{
	struct conn *cn = (struct conn *)ev;

	if (cn->cn_busy) {
		if (events & (EPOLLHUP | EPOLLERR))
			conn_free(cn);
	} else if (cn->cn_outlen != 0)
		conn_push(cn);
	else
		conn_read(cn);
}
