/* SPDX-License-Identifier: ISC */
/*
 * Messages on the control socket.  One request is in progress at a time: the
 * lock is held from its first byte to the last byte of the reply.  Replies are
 * validated as if the daemon were hostile: length before content, command, tag,
 * and no extra bytes.
 *
 * An incomplete message makes the connection unusable; it is marked as broken,
 * and every later call fails with EPIPE.
 */
#include <sys/socket.h>
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/handle.h"

#define CTL_MAXERRNO 4095 /* the kernel's MAX_ERRNO */
#define CTL_NFDS     2	  /* descriptors of WIRE_OPEN: pid and user namespace */

int
dt_ctl_init(struct dt_ctl *ct)
{
	pthread_mutex_init(&ct->ct_lock, NULL);
	ct->ct_fd = -1;
	ct->ct_broken = false;
	ct->ct_shared = false;
	ct->ct_tag = 0;
	ct->ct_buf = malloc(WIRE_MAXMSG);
	return ct->ct_buf == NULL ? -1 : 0;
}

void
dt_ctl_free(struct dt_ctl *ct)
{
	if (ct->ct_fd != -1) {
		/* a forked child that does not use its copy does not keep it */
		shutdown(ct->ct_fd, SHUT_RDWR);
		close(ct->ct_fd);
		ct->ct_fd = -1;
	}
	free(ct->ct_buf);
	ct->ct_buf = NULL;
	pthread_mutex_destroy(&ct->ct_lock);
}

bool
dt_ctl_fork(struct dt_ctl *ct)
{
	if (pthread_mutex_trylock(&ct->ct_lock) != 0)
		return false;
	ct->ct_shared = true;
	return true;
}

void
dt_ctl_forked(struct dt_ctl *ct, bool ischild)
{
	if (ischild) /* tags that the parent does not use soon */
		ct->ct_tag = (uint32_t)getpid() << 16;
	pthread_mutex_unlock(&ct->ct_lock);
}

int
dt_ctl_again(struct dt_ctl *ct)
{
	dt_ctl_free(ct);
	return dt_ctl_init(ct);
}

int
dt_ctl_nonsense(struct dt *dt, const char *what)
{
	return dt_fail(dt, EPROTO, "invalid reply of the daemon: %s", what);
}

/* Like dt_ctl_nonsense(), if the next message cannot be located any more. */
static int
ctl_broken(struct dt *dt, const char *what)
{
	dt->h_ctl.ct_broken = true;
	return dt_ctl_nonsense(dt, what);
}

/* Reports a failed connection, whatever the reason, as a closed one. */
static int
ctl_closed(struct dt *dt, int error)
{
	dt->h_ctl.ct_broken = true;
	if (error == 0 || error == ECONNRESET || error == EPIPE)
		return dt_fail(dt, EPIPE, "the daemon closed the connection");
	return dt_fail(dt, EIO, "control socket: %s", strerror(error));
}

/* Attaches descriptors, at most CTL_NFDS, to the message's first byte. */
static void
ctl_attach(struct msghdr *msg, const int *fds, size_t n)
{
	struct cmsghdr *cm = CMSG_FIRSTHDR(msg);

	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(cm), fds, n * sizeof(int));
	msg->msg_controllen = CMSG_SPACE(n * sizeof(int));
}

/*
 * Sends len bytes of the buffer, with nfds descriptors attached to the first.
 * Returns 0 or an errno.
 */
static int
ctl_send(struct dt_ctl *ct, size_t len, const int *fds, size_t nfds)
{
	_Alignas(
	    struct cmsghdr) char control[CMSG_SPACE(CTL_NFDS * sizeof(int))];
	struct iovec iov = { .iov_base = ct->ct_buf, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (nfds > 0) {
		memset(control, 0, sizeof(control));
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		ctl_attach(&msg, fds, nfds);
	}
	while (iov.iov_len > 0) {
		n = sendmsg(ct->ct_fd, &msg, MSG_NOSIGNAL);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return errno;
		iov.iov_base = (char *)iov.iov_base + n;
		iov.iov_len -= (size_t)n;
		msg.msg_control = NULL;
		msg.msg_controllen = 0;
	}
	return 0;
}

/* Extracts descriptors from a message: keeps the first, closes the others. */
static void
ctl_detach(struct msghdr *msg, int *fdp)
{
	struct cmsghdr *cm;
	size_t i, nfds;
	int fd;

	for (cm = CMSG_FIRSTHDR(msg); cm != NULL; cm = CMSG_NXTHDR(msg, cm)) {
		if (cm->cmsg_level != SOL_SOCKET || cm->cmsg_type != SCM_RIGHTS)
			continue;
		nfds = (cm->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < nfds; i++) {
			memcpy(&fd, CMSG_DATA(cm) + i * sizeof(int),
			    sizeof(fd));
			if (*fdp == -1)
				*fdp = fd;
			else
				close(fd);
		}
	}
}

/*
 * Receives up to max bytes.  If fdp is NULL, no descriptor is expected, and
 * the kernel discards any that a hostile peer attaches.
 */
static ssize_t
ctl_recv(struct dt_ctl *ct, void *buf, size_t max, int *fdp)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { .iov_base = buf, .iov_len = max };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	do {
		if (fdp != NULL) {
			msg.msg_control = control;
			msg.msg_controllen = sizeof(control);
		}
		n = recvmsg(ct->ct_fd, &msg, MSG_CMSG_CLOEXEC);
	} while (n == -1 && errno == EINTR);
	if (n != -1 && fdp != NULL)
		ctl_detach(&msg, fdp);
	return n;
}

/*
 * Reads one reply into the buffer and validates its header, returned in *hdr.
 */
static int
ctl_reply(struct dt *dt, struct wire_hdr *hdr, int *fdp)
{
	struct dt_ctl *ct = &dt->h_ctl;
	size_t have = 0, want = sizeof(*hdr), max;
	ssize_t n;

	while (have < want) {
		max = (ct->ct_shared ? want : WIRE_MAXMSG) - have;
		n = ctl_recv(ct, ct->ct_buf + have, max, fdp);
		if (n <= 0)
			return ctl_closed(dt, n == 0 ? 0 : errno);
		have += (size_t)n;
		if (have < sizeof(*hdr))
			continue;
		memcpy(hdr, ct->ct_buf, sizeof(*hdr));
		if (hdr->wh_version != WIRE_VERSION) {
			ct->ct_broken = true;
			return dt_fail(dt, EPROTONOSUPPORT,
			    "the daemon "
			    "speaks version %u of the protocol, this library "
			    "%u",
			    hdr->wh_version, WIRE_VERSION);
		}
		if (hdr->wh_length > WIRE_MAXPAYLOAD)
			return ctl_broken(dt, "it is too long");
		want = sizeof(*hdr) + hdr->wh_length;
	}
	if (have > want)
		return ctl_broken(dt, "bytes after its end");
	return 0;
}

/*
 * Sends a request and receives its reply, with the lock held.  The payload is
 * *lenp bytes at ct_buf + sizeof(struct wire_hdr), until the next request.
 */
static int
ctl_exchange(struct dt *dt, uint32_t command, const void *req, size_t reqlen,
    const int *fds, size_t nfds, int *fdp, size_t *lenp)
{
	struct dt_ctl *ct = &dt->h_ctl;
	struct wire_hdr hdr = {
		.wh_version = WIRE_VERSION,
		.wh_command = command,
		.wh_tag = ++ct->ct_tag,
		.wh_length = (uint32_t)reqlen,
	};
	int error;

	if (ct->ct_broken)
		return ctl_closed(dt, 0);
	if (reqlen > WIRE_MAXPAYLOAD)
		return dt_fail(dt, EINVAL, "the request is too long");
	memcpy(ct->ct_buf, &hdr, sizeof(hdr));
	if (reqlen > 0)
		memcpy(ct->ct_buf + sizeof(hdr), req, reqlen);

	error = ctl_send(ct, sizeof(hdr) + reqlen, fds, nfds);
	/* a daemon that refuses may reply and close without reading */
	if (error != 0 && error != EPIPE && error != ECONNRESET)
		return ctl_closed(dt, error);
	do {
		if (ctl_reply(dt, &hdr, fdp) == -1)
			return -1;
		/* the other process may have died before its reply */
	} while (ct->ct_shared && hdr.wh_tag != ct->ct_tag);
	/*
	 * a connection refused at accept gets a reply with tag 0 before its
	 * request is read
	 */
	if (hdr.wh_command != command ||
	    (hdr.wh_tag != ct->ct_tag &&
		(hdr.wh_tag != 0 || hdr.wh_error == 0)))
		return ctl_broken(dt, "it belongs to another request");
	if (hdr.wh_error > CTL_MAXERRNO)
		return ctl_broken(dt, "unknown errno");
	if (hdr.wh_error != 0)
		return dt_fail_peer(dt, (int)hdr.wh_error,
		    ct->ct_buf + sizeof(hdr), hdr.wh_length);
	*lenp = hdr.wh_length;
	return 0;
}

/*
 * Excludes other threads by the lock and, after a fork(2), the other process by
 * a lock that the kernel releases when its owner dies.
 */
static void
ctl_take(struct dt_ctl *ct, short type)
{
	struct flock fl = { .l_type = type };

	if (type == F_WRLCK)
		pthread_mutex_lock(&ct->ct_lock);
	while (ct->ct_shared && fcntl(ct->ct_fd, F_SETLKW, &fl) == -1 &&
	    errno == EINTR)
		continue;
	if (type == F_UNLCK)
		pthread_mutex_unlock(&ct->ct_lock);
}

/* Opens the namespaces of this process, for the daemon. */
static int
ctl_namespaces(struct dt *dt, int *fds)
{
	static const char *const paths[CTL_NFDS] = { "/proc/self/ns/pid",
		"/proc/self/ns/user" };
	int error, i;

	for (i = 0; i < CTL_NFDS; i++) {
		fds[i] = open(paths[i], O_RDONLY | O_CLOEXEC);
		if (fds[i] != -1)
			continue;
		error = errno;
		while (--i >= 0)
			close(fds[i]);
		return dt_fail(dt, error, "/proc/self/ns: %s", strerror(error));
	}
	return 0;
}

/* Returns whether a received descriptor is a stream socket. */
static int
ctl_is_stream(int fd)
{
	socklen_t len = sizeof(int);
	int type;

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	    type == SOCK_STREAM;
}

int
dt_ctl_open(struct dt *dt, int fd, uint32_t flags, struct wire_opened *opened)
{
	struct dt_ctl *ct = &dt->h_ctl;
	struct wire_open wo = { .wo_flags = flags };
	int datafd = -1, error, fds[CTL_NFDS], r;
	size_t len;

	ct->ct_fd = fd;
	if (ctl_namespaces(dt, fds) == -1)
		return -1;
	r = ctl_exchange(dt, WIRE_OPEN, &wo, sizeof(wo), fds, CTL_NFDS, &datafd,
	    &len);
	error = errno;
	close(fds[0]);
	close(fds[1]);
	errno = error;
	if (r == 0 && len != sizeof(*opened))
		r = dt_ctl_nonsense(dt, "its length is wrong");
	if (r == 0 && (datafd == -1 || !ctl_is_stream(datafd)))
		r = dt_ctl_nonsense(dt, "it has no data socket");
	if (r == -1) {
		error = errno;
		if (datafd != -1)
			close(datafd);
		errno = error;
		return -1;
	}
	memcpy(opened, ct->ct_buf + sizeof(struct wire_hdr), sizeof(*opened));
	return datafd;
}

int
dt_ctl_call(struct dt *dt, unsigned long command, const void *req,
    size_t reqlen, void *rep, size_t repmax, size_t *replen)
{
	return dt_ctl_call_with(dt, command, req, reqlen, -1, rep, repmax,
	    replen);
}

int
dt_ctl_call_with(struct dt *dt, unsigned long command, const void *req,
    size_t reqlen, int fd, void *rep, size_t repmax, size_t *replen)
{
	struct dt_ctl *ct = &dt->h_ctl;
	size_t len;
	int r;

	ctl_take(ct, F_WRLCK);
	r = ctl_exchange(dt, (uint32_t)command, req, reqlen, &fd, fd != -1,
	    NULL, &len);
	if (r == 0 && len > repmax)
		r = dt_ctl_nonsense(dt, "it is too long for its command");
	if (r == 0) {
		if (len > 0)
			memcpy(rep, ct->ct_buf + sizeof(struct wire_hdr), len);
		*replen = len;
	}
	ctl_take(ct, F_UNLCK);
	return r;
}

int
dt_ctl_call_fd(struct dt *dt, unsigned long command, const void *req,
    size_t reqlen, void *rep, size_t replen)
{
	struct dt_ctl *ct = &dt->h_ctl;
	int error, fd = -1, r;
	size_t len;

	ctl_take(ct, F_WRLCK);
	r = ctl_exchange(dt, (uint32_t)command, req, reqlen, NULL, 0, &fd,
	    &len);
	if (r == 0 && (len != replen || fd == -1))
		r = dt_ctl_nonsense(dt, "it has no descriptor");
	if (r == 0 && len > 0)
		memcpy(rep, ct->ct_buf + sizeof(struct wire_hdr), len);
	ctl_take(ct, F_UNLCK);
	if (r == -1 && fd != -1) {
		error = errno;
		close(fd);
		errno = error;
	}
	return r == -1 ? -1 : fd;
}
