/* SPDX-License-Identifier: ISC */
/*
 * One connection of the control socket.  The first message opens the device,
 * later ones are ioctls, the end of the stream is close.  All input is hostile:
 * the length of a message is checked before its content is read, and a client
 * that sends an invalid message receives an error and is disconnected.
 *
 * A connection handles one message at a time: the next is not read before the
 * last reply is sent, so a client that only writes fills its own socket, and
 * dtd stores at most one message and one reply for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/access/fd_reserve.h"
#include "daemon/access/limit.h"
#include "daemon/access/peer.h"
#include "daemon/access/right.h"
#include "daemon/base/clock.h"
#include "daemon/base/close_async.h"
#include "daemon/base/conf.h"
#include "daemon/base/cpus.h"
#include "daemon/base/event_loop.h"
#include "daemon/base/log.h"
#include "daemon/base/reason.h"
#include "daemon/base/workers.h"
#include "daemon/device/stream.h"
#include "daemon/inspect/inspect.h"
#include "daemon/inspect/inspect_client.h"
#include "daemon/server/conn.h"
#include "daemon/server/msg.h"
#include "daemon/server/op_queue.h"
#include "wire/wire.h"

struct conn {
	struct event_source cn_ev; /* socket; first: ev is conn */
	TAILQ_ENTRY(conn) cn_entry;
	const struct cdevsw *cn_dev;
	int cn_private;
	struct peer cn_peer;
	struct op_queue *cn_queue; /* of the session, NULL before open */
	int cn_closed;		   /* disconnected, or is to be */
	int cn_strange;		   /* it sent unexpected descriptors */
	int cn_known;		   /* the peer of this open is identified */
	int cn_waiting;		   /* open follows another session's close */
	int cn_busy;		   /* a request has no reply yet */
	struct op cn_op;
	struct msg cn_msg;   /* being read, or being answered */
	struct work cn_work; /* closes the socket and descriptors */
	/*
	 * Identity of the peer, from an inspector.  Used by cn_look until that
	 * is done.
	 */
	struct work cn_look;
	struct inspect_client cn_client;
	int cn_lookerror;
};

TAILQ_HEAD(conns, conn);

static struct conns conns = TAILQ_HEAD_INITIALIZER(conns);

static void conn_event(struct event_source *, uint32_t);

/* Sends an error, as much of it as the socket accepts. */
static void
refuse(int sock, const struct wire_hdr *request, int error, const char *why)
{
	struct wire_hdr h = { .wh_version = WIRE_VERSION,
		.wh_command = request->wh_command,
		.wh_tag = request->wh_tag,
		.wh_error = error,
		.wh_length = strlen(why) };
	struct iovec iov[2] = { { &h, sizeof(h) },
		{ (char *)why, h.wh_length } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	(void)sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Returns whether the client may use descriptors reserved for root. */
static int
conn_isroot(const struct conn *cn)
{
	return cn->cn_peer.peer_uid == 0;
}

/* Returns an errno with a reason. */
static int
conn_new(int sock, const struct cdevsw *dev, int private, struct reason *rs)
{
	struct peer pr = { .peer_rights = 0 };
	struct conn *cn;
	int error;

	if ((error = peer_get(&pr, sock)) != 0)
		return error;
	error = limit_take(pr.peer_person, LIMIT_CONNECTIONS, 1, rs);
	if (error != 0)
		return error;
	if ((cn = calloc(1, sizeof(*cn))) == NULL) {
		limit_give(pr.peer_person, LIMIT_CONNECTIONS, 1);
		return ENOMEM;
	}
	cn->cn_dev = dev;
	cn->cn_private = private;
	cn->cn_peer = pr;
	msg_init(&cn->cn_msg);
	cn->cn_ev.es_fd = sock;
	cn->cn_ev.es_cb = conn_event;
	if ((error = event_loop_add(&cn->cn_ev, EPOLLIN)) != 0) {
		limit_give(pr.peer_person, LIMIT_CONNECTIONS, 1);
		free(cn);
		return error;
	}
	TAILQ_INSERT_TAIL(&conns, cn, cn_entry);
	return 0;
}

/*
 * Returns the text for an error that is not the client's fault, and counts it.
 */
static const char *
want_text(int error)
{
	switch (error) {
	case ENOMEM:
	case ENOBUFS:
		limit_refused(REFUSED_MEMORY);
		return "the daemon is out of memory";
	case EMFILE:
	case ENFILE:
		limit_refused(REFUSED_DESCRIPTORS);
		return "the daemon is out of descriptors";
	default:
		return "";
	}
}

int
conn_alloc(int sock, const struct cdevsw *dev, int private)
{
	const struct wire_hdr open = { .wh_command = WIRE_OPEN };
	struct reason rs = { "" };
	int error;

	if ((error = conn_new(sock, dev, private, &rs)) != 0) {
		refuse(sock, &open, error,
		    rs.rsn_text[0] != '\0' ? rs.rsn_text : want_text(error));
		close_async(&sock, 1, NULL);
	}
	return error;
}

void
conn_turn_away(int sock, int error)
{
	const struct wire_hdr open = { .wh_command = WIRE_OPEN };

	refuse(sock, &open, error, want_text(error));
	close_async(&sock, 1, NULL);
}

/* Frees a connection whose descriptors are closed. */
static void
conn_freed(struct work *w)
{
	char *p = (char *)w - offsetof(struct conn, cn_work);
	struct conn *cn = (struct conn *)p;

	TAILQ_REMOVE(&conns, cn, cn_entry);
	limit_give(cn->cn_peer.peer_person, LIMIT_CONNECTIONS, 1);
	msg_reset(&cn->cn_msg);
	free(cn);
}

/*
 * Closes the socket and received descriptors.  The connection counts for its
 * user until that is done, which bounds what a user can make dtd hold.
 */
static void
conn_close(struct conn *cn)
{
	struct msg *mg = &cn->cn_msg;
	int fds[MSG_MAXFDS + 1], n = 0;

	fds[n++] = cn->cn_ev.es_fd;
	while (mg->msg_nfds > 0)
		fds[n++] = mg->msg_fds[--mg->msg_nfds];
	cn->cn_work.w_done = conn_freed;
	if (cn->cn_peer.peer_uid != 0) {
		close_async(fds, n, &cn->cn_work);
		return;
	}
	while (n > 0)
		close(fds[--n]);
	conn_freed(&cn->cn_work);
}

/* Ends the connection, after the request in progress. */
static void
conn_free(struct conn *cn)
{
	if (!cn->cn_closed) {
		cn->cn_closed = 1;
		event_loop_del(&cn->cn_ev);
		(void)shutdown(cn->cn_ev.es_fd, SHUT_RDWR);
		if (cn->cn_queue != NULL)
			op_queue_hangup(cn->cn_queue);
	}
	if (cn->cn_busy)
		return; /* conn_reply() calls this again */
	if (cn->cn_queue != NULL)
		op_queue_close(cn->cn_queue);
	else if (cn->cn_private)
		dev_closed();
	conn_close(cn);
}

void
conn_closeall(void)
{
	struct conn *cn, *next;

	for (cn = TAILQ_FIRST(&conns); cn != NULL; cn = next) {
		next = TAILQ_NEXT(cn, cn_entry);
		if (!cn->cn_closed)
			conn_free(cn);
	}
}

int
conn_drain(void)
{
	struct conn *cn, *next;
	int n = 0;

	for (cn = TAILQ_FIRST(&conns); cn != NULL; cn = next) {
		next = TAILQ_NEXT(cn, cn_entry);
		if (cn->cn_closed)
			continue;
		if (cn->cn_queue != NULL && cn->cn_dev->d_drain != NULL &&
		    cn->cn_dev->d_drain(op_queue_session(cn->cn_queue)))
			n++;
		else
			conn_free(cn);
	}
	return n;
}

/* Sends the rest of the reply, then waits for the next request. */
static void
conn_push(struct conn *cn)
{
	switch (msg_send(&cn->cn_msg, cn->cn_ev.es_fd)) {
	case 0:
		msg_reset(&cn->cn_msg);
		if (event_loop_mod(&cn->cn_ev, EPOLLIN) != 0)
			conn_free(cn);
		break;
	case EAGAIN:
		if (event_loop_mod(&cn->cn_ev, EPOLLOUT) != 0)
			conn_free(cn);
		break;
	default:
		conn_free(cn);
	}
}

/* Sends an error for an invalid message, and disconnects the client. */
static void
conn_refuse(struct conn *cn, int error, const char *why)
{
	log_info("process %d of user %u: %s", (int)cn->cn_peer.peer_pid,
	    (unsigned)cn->cn_peer.peer_uid, why);
	refuse(cn->cn_ev.es_fd, &cn->cn_msg.msg_hdr, error, why);
	conn_free(cn);
}

/* Replies to the request in progress, whose result is in cn_op. */
static void
conn_reply(struct conn *cn, int error)
{
	struct op *op = &cn->cn_op;
	struct msg *mg = &cn->cn_msg;
	struct wire_hdr h = { .wh_version = WIRE_VERSION,
		.wh_command = mg->msg_hdr.wh_command,
		.wh_tag = mg->msg_hdr.wh_tag,
		.wh_error = error };

	cn->cn_busy = 0;
	if (conn_isroot(cn))
		fd_reserve_root_end();
	mg->msg_outfd = op->op_outfd; /* the message owns it */
	if (op->op_infd != -1)
		close(op->op_infd);
	op->op_infd = -1;
	if (cn->cn_closed) {
		conn_free(cn);
		return;
	}
	if (error != 0) {
		if (op->op_reason.rsn_text[0] == '\0')
			reason_set(&op->op_reason, "%s", want_text(error));
		op->op_outlen = strlen(op->op_reason.rsn_text);
		memcpy(op->op_out, op->op_reason.rsn_text, op->op_outlen);
	}
	if (cn->cn_strange) {
		conn_refuse(cn, error != 0 ? error : EINVAL,
		    error != 0 ? op->op_reason.rsn_text
			       : "only open may have descriptors");
		return;
	}
	h.wh_length = op->op_outlen;
	memcpy(mg->msg_out, &h, sizeof(h));
	mg->msg_outlen = sizeof(h) + h.wh_length;
	conn_push(cn);
}

static void
conn_answer_op(struct op *op, int error)
{
	char *cn = (char *)op - offsetof(struct conn, cn_op);

	conn_reply((struct conn *)cn, error);
}

/*
 * Determines the peer's identity and rights.  A private daemon, which its
 * client started, needs no inspector.
 */
static int
conn_identify(struct conn *cn)
{
	const struct inspect_client *ic = cn->cn_private ? NULL
							 : &cn->cn_client;
	int ownuser, error;

	if (cn->cn_known)
		return 0;
	error = peer_identify(&cn->cn_peer, cn->cn_ev.es_fd, cn->cn_msg.msg_fds,
	    cn->cn_msg.msg_nfds, ic, &ownuser, &cn->cn_op.op_reason);
	if (error != 0)
		return error;
	cn->cn_strange = 0; /* files of namespaces close without delay */
	if (ic != NULL)
		limit_identify(&cn->cn_peer, ic->icl_owner);
	error = right_grant(&cn->cn_peer, cn->cn_ev.es_fd, ownuser, ic);
	cn->cn_known = error == 0;
	return error;
}

/* Handles WIRE_OPEN after the inspector's report. */
static int
conn_admit(struct conn *cn)
{
	struct op *op = &cn->cn_op;
	struct wire_opened wp = { 0 };
	struct stream *st;
	void *sc;
	int clientfd, error;

	if ((error = conn_identify(cn)) != 0)
		return error;
	if (!conf.cf_allowdt) {
		limit_refused(REFUSED_ALLOWDT);
		return op_fail(op, EPERM, "the configuration has allowdt = no");
	}
	if ((error = stream_alloc(cn->cn_dev, &st, &clientfd)) != 0)
		return error;
	op->op_queue = op_queue_alloc(cn->cn_dev, cn->cn_peer.peer_person,
	    conn_answer_op);
	error = op->op_queue == NULL
	    ? ENOMEM
	    : cn->cn_dev->d_open(op, &cn->cn_peer, st, &sc);
	if (error != 0) {
		op_queue_free(op->op_queue);
		stream_free(st);
		close(clientfd);
		cn->cn_waiting = error == EAGAIN;
		return cn->cn_waiting ? OP_LATER : error;
	}
	cn->cn_queue = op->op_queue;
	op_queue_open(cn->cn_queue, sc);
	stream_start(st, sc);
	if (!cn->cn_private)
		dev_opened(); /* a private connection is counted already */
	wp.wp_clockoff = clock_offset();
	wp.wp_ncpu = cpus_end();
	wp.wp_rights = cn->cn_peer.peer_rights;
	snprintf(wp.wp_release, sizeof(wp.wp_release), "%s", DT_RELEASE);
	op->op_outfd = clientfd;
	return op_reply(op, &wp, sizeof(wp));
}

static void
conn_look_run(struct work *w)
{
	char *p = (char *)w - offsetof(struct conn, cn_look);
	struct conn *cn = (struct conn *)p;

	cn->cn_lookerror = inspect_client_request(cn->cn_peer.peer_pid,
	    &cn->cn_client);
}

static void
conn_look_done(struct work *w)
{
	char *p = (char *)w - offsetof(struct conn, cn_look);
	struct conn *cn = (struct conn *)p;
	int error = cn->cn_closed ? ECONNABORTED : cn->cn_lookerror;

	if (cn->cn_lookerror != 0)
		reason_set(&cn->cn_op.op_reason,
		    "dtd cannot determine the identity of process %d: %s",
		    (int)cn->cn_peer.peer_pid, inspect_strerror(error));
	else if (error == 0)
		error = conn_admit(cn);
	if (error != OP_LATER)
		conn_reply(cn, error);
}

/*
 * Handles WIRE_OPEN.  An inspector identifies the peer; a separate thread waits
 * for it.
 */
static int
conn_open(struct conn *cn)
{
	if (cn->cn_queue != NULL ||
	    cn->cn_op.op_arglen != sizeof(struct wire_open))
		return EINVAL;
	if (cn->cn_msg.msg_cut) /* the kernel closed them */
		return EMFILE;
	cn->cn_known = 0;
	if (cn->cn_private)
		return conn_admit(cn);
	cn->cn_look = (struct work){ .w_run = conn_look_run,
		.w_done = conn_look_done,
		.w_person = cn->cn_peer.peer_person };
	workers_alone(&cn->cn_look);
	return OP_LATER;
}

void
conn_retry(void)
{
	struct conn *cn, *next;
	int error;

	for (cn = TAILQ_FIRST(&conns); cn != NULL; cn = next) {
		next = TAILQ_NEXT(cn, cn_entry);
		if (!cn->cn_waiting)
			continue;
		cn->cn_waiting = 0;
		error = cn->cn_closed ? ECONNABORTED : conn_admit(cn);
		if (error != OP_LATER)
			conn_reply(cn, error);
	}
}

/* Handles WIRE_MMAP, of a device with memory. */
static int
conn_mmap(struct conn *cn)
{
	struct wire_mmapped *wm = cn->cn_op.op_out;

	if (cn->cn_op.op_arglen != 0)
		return EINVAL;
	cn->cn_op.op_outlen = sizeof(*wm);
	return cn->cn_dev->d_mmap(op_queue_session(cn->cn_queue),
	    &cn->cn_op.op_outfd, &wm->wm_nbytes);
}

/*
 * Accepts the descriptor of a request: it proves that the client may read the
 * file.  Keeps another one, O_PATH, which neither reads nor blocks when it is
 * closed.
 */
static int
conn_takefile(struct conn *cn)
{
	struct msg *mg = &cn->cn_msg;
	char path[32];
	int flags;

	if (mg->msg_cut)
		return EMFILE;
	if (mg->msg_nfds != 1)
		return op_fail(&cn->cn_op, EINVAL, "%d descriptors, expected 1",
		    mg->msg_nfds);
	flags = fcntl(mg->msg_fds[0], F_GETFL);
	if (flags == -1 || (flags & O_PATH) || (flags & O_ACCMODE) == O_WRONLY)
		return op_fail(&cn->cn_op, EBADF,
		    "the file is not open for reading");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", mg->msg_fds[0]);
	cn->cn_op.op_infd = open(path, O_PATH | O_CLOEXEC);
	if (cn->cn_op.op_infd == -1)
		return errno;
	close_async(mg->msg_fds, mg->msg_nfds, NULL);
	mg->msg_nfds = cn->cn_strange = 0;
	return 0;
}

/* The order of errors is: unknown request, EPERM, length, descriptor. */
static int
conn_ioctl(struct conn *cn)
{
	const struct cdevsw *dev = cn->cn_dev;
	struct op *op = &cn->cn_op;
	const struct ioctl_desc *id = NULL;
	size_t i;
	int error;

	for (i = 0; i < dev->d_nioctls; i++)
		if (dev->d_ioctls[i].id_cmd == op->op_cmd)
			id = &dev->d_ioctls[i];
	if (id == NULL)
		return dev->d_unknown != 0 ? dev->d_unknown : ENOTTY;
	error = right_check(&cn->cn_peer, id->id_rights, NULL, &op->op_reason);
	if (error != 0)
		return error;
	if (op->op_arglen < id->id_inmin || op->op_arglen > id->id_inmax)
		return op_fail(op, EINVAL,
		    "a payload of %zu bytes, "
		    "expected %zu to %zu",
		    op->op_arglen, id->id_inmin, id->id_inmax);
	if (id->id_cmd == dev->d_filecmd && (error = conn_takefile(cn)) != 0)
		return error;
	op_queue_run(cn->cn_queue, op, id);
	return OP_LATER; /* conn_reply() may have been called */
}

/* Handles a complete message. */
static void
conn_msg(struct conn *cn)
{
	struct op *op = &cn->cn_op;
	struct msg *mg = &cn->cn_msg;
	int error;

	if ((mg->msg_out = malloc(WIRE_MAXMSG)) == NULL) {
		conn_refuse(cn, ENOMEM, want_text(ENOMEM));
		return;
	}
	memset(op, 0, sizeof(*op));
	op->op_cmd = mg->msg_hdr.wh_command;
	op->op_arg = mg->msg_in;
	op->op_arglen = mg->msg_hdr.wh_length;
	op->op_out = mg->msg_out + sizeof(struct wire_hdr);
	op->op_outfd = op->op_infd = -1;
	cn->cn_busy = 1;
	if (conn_isroot(cn))
		fd_reserve_root_begin();
	cn->cn_strange = mg->msg_nfds > 0;
	/* no input until the reply is sent; hang-ups are still reported */
	if (event_loop_mod(&cn->cn_ev, 0) != 0)
		log_warn("conn: epoll_ctl");
	if (op->op_cmd == WIRE_OPEN)
		error = conn_open(cn);
	else if (cn->cn_queue == NULL)
		error = EBADF;
	else if (op->op_cmd == WIRE_MMAP && cn->cn_dev->d_mmap != NULL)
		error = conn_mmap(cn);
	else
		error = conn_ioctl(cn);
	if (error != OP_LATER)
		conn_reply(cn, error);
}

/* Checks a complete header.  Returns whether the connection continues. */
static int
conn_header(struct conn *cn)
{
	const struct wire_hdr *h = &cn->cn_msg.msg_hdr;

	if (h->wh_version != WIRE_VERSION) {
		conn_refuse(cn, EPROTONOSUPPORT,
		    "this daemon speaks another version of the protocol");
		return 0;
	}
	if (h->wh_length > WIRE_MAXPAYLOAD) {
		conn_refuse(cn, EMSGSIZE, "a message longer than 64 kB");
		return 0;
	}
	if ((cn->cn_msg.msg_in = malloc(h->wh_length + 1)) == NULL) {
		conn_refuse(cn, ENOMEM, want_text(ENOMEM));
		return 0;
	}
	return 1;
}

static void
conn_read(struct conn *cn)
{
	struct msg *mg = &cn->cn_msg;
	ssize_t n;

	if (conn_isroot(cn))
		fd_reserve_root_begin();
	n = msg_recv(mg, cn->cn_ev.es_fd);
	if (conn_isroot(cn))
		fd_reserve_root_end();
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		conn_free(cn);
		return;
	}
	if (mg->msg_inlen == sizeof(mg->msg_hdr) && !conn_header(cn))
		return;
	if (msg_complete(mg))
		conn_msg(cn);
}

static void
conn_event(struct event_source *ev, uint32_t events)
{
	struct conn *cn = (struct conn *)ev;

	if (cn->cn_busy) {
		if (events & (EPOLLHUP | EPOLLERR))
			conn_free(cn);
	} else if (cn->cn_msg.msg_outlen != 0)
		conn_push(cn);
	else
		conn_read(cn);
}
