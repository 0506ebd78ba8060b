/* SPDX-License-Identifier: ISC */
/*
 * dt_sums_open() and dt_sums_read(): sums over all sessions, requested on a
 * separate socket, where the daemon replies regardless of its other work.  A
 * late reply is recognized by its tag and discarded.
 */
#include <sys/socket.h>
#include <sys/uio.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "lib/handle.h"
#include "lib/timeout.h"

#define SUMS_ROOM (1 << 16) /* maximum size of a message */

void
dt_session_sums_init(struct dt_session_sums *as)
{
	pthread_mutex_init(&as->as_lock, NULL);
	as->as_fd = -1;
	as->as_tag = 0;
}

void
dt_session_sums_free(struct dt_session_sums *as)
{
	if (as->as_fd != -1)
		close(as->as_fd);
	as->as_fd = -1;
	pthread_mutex_destroy(&as->as_lock);
}

int
dt_sums_open(struct dt *dt)
{
	struct dt_session_sums *as = &dt->h_sums;
	int r = 0;

	pthread_mutex_lock(&as->as_lock);
	if (as->as_fd == -1) {
		as->as_fd = dt_ctl_call_fd(dt, DTIOCGSUMS, NULL, 0, NULL, 0);
		r = as->as_fd == -1 ? -1 : 0;
	}
	pthread_mutex_unlock(&as->as_lock);
	return r;
}

/* Copies entries; fields that a later daemon has added are cut off. */
static int
sums_entries(struct dt *dt, const uint8_t *p, const struct wire_sums *wu,
    size_t len, struct dtioc_sum *list, size_t n)
{
	size_t i;

	if (wu->wu_entsize < sizeof(*list) ||
	    len != sizeof(*wu) + (size_t)wu->wu_count * wu->wu_entsize)
		return dt_ctl_nonsense(dt, "sums have a wrong length");
	for (i = 0; i < wu->wu_count && i < n; i++) {
		memcpy(&list[i], p + i * wu->wu_entsize, sizeof(list[i]));
		list[i].dtsm_device[sizeof(list[i].dtsm_device) - 1] = '\0';
		list[i].dtsm_name[sizeof(list[i].dtsm_name) - 1] = '\0';
	}
	if (wu->wu_count > n)
		return dt_fail(dt, ENOSPC, "%u sums", wu->wu_count);
	return (int)wu->wu_count;
}

/*
 * Receives one message.  Returns the number of sums, -1, or -2 if it is the
 * reply to an earlier request.
 */
static int
sums_recv(struct dt *dt, struct dtioc_sum *list, size_t n)
{
	struct dt_session_sums *as = &dt->h_sums;
	_Alignas(struct wire_sums) uint8_t buf[SUMS_ROOM];
	struct wire_sums wu;
	ssize_t len;

	len = recv(as->as_fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_TRUNC);
	if (len == -1 && (errno == EAGAIN || errno == EINTR))
		return -2;
	if (len <= 0)
		return dt_fail(dt, EPIPE, "the daemon closed the connection");
	if ((size_t)len > sizeof(buf) || (size_t)len < sizeof(wu))
		return dt_ctl_nonsense(dt, "sums have a wrong length");
	memcpy(&wu, buf, sizeof(wu));
	if (wu.wu_tag != as->as_tag)
		return -2;
	return sums_entries(dt, buf + sizeof(wu), &wu, (size_t)len, list, n);
}

static int
sums_request(struct dt *dt)
{
	struct dt_session_sums *as = &dt->h_sums;

	if (as->as_fd == -1)
		return dt_fail(dt, EBADF, "call dt_sums_open() first");
	as->as_tag++;
	if (send(as->as_fd, &as->as_tag, sizeof(as->as_tag),
		MSG_NOSIGNAL | MSG_DONTWAIT) != -1 ||
	    errno == EAGAIN) /* the queue is full of earlier requests */
		return 0;
	if (errno == EPIPE || errno == ECONNRESET)
		return dt_fail(dt, EPIPE, "the daemon closed the connection");
	return dt_fail(dt, errno, "socket of sums: %s", strerror(errno));
}

int
dt_sums_read(struct dt *dt, struct dtioc_sum *list, size_t n, int timeout)
{
	struct dt_session_sums *as = &dt->h_sums;
	struct pollfd pfd = { .events = POLLIN };
	struct dt_timeout to = { .to_msecs = timeout };
	int r;

	pthread_mutex_lock(&as->as_lock);
	pfd.fd = as->as_fd;
	r = sums_request(dt) == -1 ? -1 : -2;
	while (r == -2) {
		r = dt_timeout_poll(&to, &pfd);
		if (r == 0)
			r = dt_fail(dt, ETIMEDOUT, "no reply in time");
		else if (r == 1)
			r = sums_recv(dt, list, n);
		else if (errno == EINTR)
			r = -2;
	}
	pthread_mutex_unlock(&as->as_lock);
	return r;
}
