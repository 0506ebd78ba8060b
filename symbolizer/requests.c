/* SPDX-License-Identifier: ISC */
/*
 * Receives requests from dtd and sends replies. dtd is trusted: a malformed
 * message, or a closed socket, ends the process.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "symbolizer/requests.h"

#define MAXFRAMES  352
#define MAXSTRINGS (32 << 10)

static struct {
	struct frame_sink out_sink;
	struct wire_frame out_frames[MAXFRAMES];
	struct symrep_span out_spans[MAXFRAMES];
	char out_strings[MAXSTRINGS];
	uint32_t out_nframes;
	uint32_t out_nbytes;
	uint8_t out_buildid[SYMREQ_BUILDID];
	uint32_t out_buildidlen;
} out;

_Static_assert(sizeof(struct symrep) + sizeof(out.out_frames) +
	    sizeof(out.out_spans) + sizeof(out.out_strings) <=
	SYMREQ_MAXMSG,
    "a reply is one message");

static int
descriptor(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	int fd;

	if (c == NULL || c->cmsg_level != SOL_SOCKET ||
	    c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(int)))
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Receives a message of the channel.  The kernel drops its descriptor if fd is
 * NULL. */
static int
from_channel(int flags, uint64_t *serial, int *fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { serial, sizeof(*serial) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (fd != NULL) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control);
	}
	do
		n = recvmsg(SYMREQ_CHANNEL_FD, &msg,
		    MSG_CMSG_CLOEXEC | MSG_DONTWAIT | flags);
	while (n == -1 && errno == EINTR);
	if (fd != NULL)
		*fd = n == sizeof(*serial) ? descriptor(&msg) : -1;
	return n == sizeof(*serial);
}

/*
 * Returns the file that was sent before, or -1.  Earlier files belong to
 * cancelled requests.  They are dropped without a descriptor, because close(2)
 * can hang on a foreign file system.
 */
static int
sent_before(uint64_t serial)
{
	uint64_t found;
	int fd;

	while (from_channel(MSG_PEEK, &found, NULL)) {
		if (found == serial)
			return from_channel(0, &found, &fd) ? fd : -1;
		if (!from_channel(0, &found, NULL))
			break;
	}
	return -1;
}

/* Receives a message and its descriptor; 0 when the peer has disconnected. */
static size_t
receive(struct symreq *head, uint64_t *pcs, size_t npcs, int *fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov[] = { { head, sizeof(*head) },
		{ pcs, npcs * sizeof(*pcs) } };
	struct msghdr msg = { .msg_iov = iov,
		.msg_iovlen = 2,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control) };
	ssize_t n;

	do
		n = recvmsg(SYMREQ_FD, &msg, MSG_CMSG_CLOEXEC);
	while (n == -1 && errno == EINTR);
	if (n <= 0)
		return 0;
	if ((size_t)n < sizeof(*head) || (msg.msg_flags & MSG_TRUNC) ||
	    (head->srq_npcs > npcs) ||
	    (size_t)n != sizeof(*head) + head->srq_npcs * sizeof(*pcs) ||
	    head->srq_buildidlen > SYMREQ_BUILDID)
		_exit(2);
	*fd = head->srq_serial == 0 ? descriptor(&msg)
				    : sent_before(head->srq_serial);
	return n;
}

int
proto_next(struct request *rq)
{
	return receive(&rq->rq_head, rq->rq_pcs, SYMREQ_MAXPCS, &rq->rq_fd) !=
	    0;
}

static void
send_all(const struct msghdr *msg)
{
	ssize_t n;

	do
		n = sendmsg(SYMREQ_FD, msg, MSG_NOSIGNAL);
	while (n == -1 && errno == EINTR);
	if (n == -1)
		_exit(0);
}

void
proto_send(struct iovec *iov, int n)
{
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = n };

	send_all(&msg);
}

static void
flush(int error, int last)
{
	struct symrep head = { .srp_type = SYMREP_FRAMES,
		.srp_error = error,
		.srp_last = last,
		.srp_nframes = out.out_nframes,
		.srp_nbytes = out.out_nbytes,
		.srp_buildidlen = out.out_buildidlen };
	struct iovec iov[] = { { &head, sizeof(head) },
		{ out.out_frames, out.out_nframes * sizeof(*out.out_frames) },
		{ out.out_spans, out.out_nframes * sizeof(*out.out_spans) },
		{ out.out_strings, out.out_nbytes } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 4 };

	memcpy(head.srp_buildid, out.out_buildid, out.out_buildidlen);
	send_all(&msg);
	out.out_nframes = out.out_nbytes = 0;
}

/* Returns the string's offset plus one, 0 for NULL. */
static uint32_t
put_string(const char *s)
{
	uint32_t at = out.out_nbytes;
	size_t n;

	if (s == NULL)
		return 0;
	n = strnlen(s, SYMREQ_NAME - 1);
	memcpy(out.out_strings + at, s, n);
	out.out_strings[at + n] = '\0';
	out.out_nbytes += n + 1;
	return at + 1;
}

static void
put(struct frame_sink *fs, const struct wire_frame *wf,
    const struct symrep_span *sp, const char *func, const char *file)
{
	struct wire_frame *to;

	(void)fs;
	if (out.out_nframes == MAXFRAMES ||
	    out.out_nbytes + 2 * SYMREQ_NAME > MAXSTRINGS)
		flush(0, 0);
	out.out_spans[out.out_nframes] = *sp;
	to = &out.out_frames[out.out_nframes++];
	*to = *wf;
	to->wf_func = put_string(func);
	to->wf_file = put_string(file);
}

struct frame_sink *
proto_sink(void)
{
	out.out_sink.fs_put = put;
	out.out_nframes = out.out_nbytes = 0;
	out.out_buildidlen = 0;
	return &out.out_sink;
}

void
proto_buildid(const void *id, size_t len)
{
	if (len == 0 || len > sizeof(out.out_buildid))
		return;
	memcpy(out.out_buildid, id, len);
	out.out_buildidlen = len;
}

/*
 * Sends a part of a table, at most one message.  Returns the end of the part.
 */
static uint32_t
send_part(struct symrep_table *st, const struct unwind_page_rows *upr,
    uint32_t at)
{
	const uint32_t room = SYMREQ_MAXMSG - sizeof(*st);
	uint32_t nrows = upr->upr_nrows * sizeof(*upr->upr_rows);
	uint32_t nrules = upr->upr_nrules * sizeof(*upr->upr_rules);
	uint32_t end = nrows + nrules - at < room ? nrows + nrules : at + room;
	uint32_t middle = end < nrows ? end : at > nrows ? at : nrows;
	struct iovec iov[] = { { st, sizeof(*st) },
		{ (char *)upr->upr_rows + at, middle - at },
		{ (char *)upr->upr_rules + (middle - nrows), end - middle } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 3 };

	if (end == middle) /* rows only */
		msg.msg_iovlen = 2;
	if (middle == at) { /* rules only, or none */
		iov[1] = iov[2];
		msg.msg_iovlen = end == middle ? 1 : 2;
	}
	st->srt_at = at;
	st->srt_nbytes = end - at;
	send_all(&msg);
	return end;
}

void
proto_table(uint32_t page, const struct unwind_page_rows *upr)
{
	struct symrep_table st = { .srt_type = SYMREP_TABLE,
		.srt_page = page,
		.srt_nrows = upr->upr_nrows,
		.srt_nrules = upr->upr_nrules };
	uint32_t at = 0, end;

	end = upr->upr_nrows * sizeof(*upr->upr_rows) +
	    upr->upr_nrules * sizeof(*upr->upr_rules);
	do
		at = send_part(&st, upr, at);
	while (at < end);
}

void
proto_end(int error)
{
	flush(error, 1);
}

int
proto_find(const struct symrep_find *find, int *fd)
{
	struct iovec iov = { (void *)find, sizeof(*find) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct symreq answer;

	send_all(&msg);
	if (receive(&answer, NULL, 0, fd) == 0)
		_exit(0);
	if (answer.srq_type != SYMREQ_FILE ||
	    (answer.srq_error == 0 && *fd == -1 && answer.srq_serial == 0))
		_exit(2);
	return answer.srq_error == 0 && *fd == -1 ? ENOENT : answer.srq_error;
}
