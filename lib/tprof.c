/* SPDX-License-Identifier: ISC */
/*
 * Reads tprof: samples as a stream of bytes.  A read waits until all requested
 * bytes are available or the run has ended.
 */
#include <sys/socket.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dev/tprof/tprof_ioctl.h>
#include "lib/handle.h"
#include "lib/timeout.h"

_Static_assert(sizeof(tprof_sample_t) == TPROF_SAMPLE, "tprof_sample_t");

/* Results of tprof_next() and its callees. */
enum {
	TPROF_FAILED = -1, /* with errno */
	TPROF_TIMEOUT,
	TPROF_GOON,
	TPROF_END, /* no run, and all samples were read */
};

void
dt_tprof_free(struct dt_tprof *tp)
{
	free(tp->tp_buf);
	tp->tp_buf = NULL;
}

void
dt_tprof_started(struct dt_tprof *tp, uint32_t run)
{
	if (run != 0)
		tp->tp_started = run;
	tp->tp_starts++;
}

/* Returns the note of a run that was read to its end. */
const char *
dt_tprof_note(const struct dt_tprof *tp)
{
	if (tp->tp_note[0] == '\0' || tp->tp_notestarts != tp->tp_starts ||
	    tp->tp_ended != tp->tp_started)
		return NULL;
	return tp->tp_note;
}

/* Reads available bytes, or waits for them. */
static int
tprof_fill(struct dt *dt, struct dt_timeout *to)
{
	struct dt_tprof *tp = &dt->h_tprof;
	struct pollfd pfd = { .fd = dt->h_stream.stm_fd, .events = POLLIN };
	ssize_t n;

	memmove(tp->tp_buf, tp->tp_buf + tp->tp_pos, tp->tp_end - tp->tp_pos);
	tp->tp_end -= tp->tp_pos;
	tp->tp_pos = 0;
	for (;;) {
		n = recv(pfd.fd, tp->tp_buf + tp->tp_end,
		    TPROF_BUFSIZE - tp->tp_end, MSG_DONTWAIT);
		if (n > 0) {
			tp->tp_end += n;
			return TPROF_GOON;
		}
		if (n == 0 || errno == ECONNRESET)
			return dt_fail(dt, EPIPE,
			    "the daemon closed the connection");
		if (errno != EAGAIN)
			return TPROF_FAILED;
		if (tp->tp_ended == tp->tp_started)
			return TPROF_END;
		if (dt_timeout_left(to) == 0)
			return TPROF_TIMEOUT;
		if (dt_timeout_poll(to, &pfd) == -1)
			return TPROF_FAILED;
	}
}

/* Processes a block other than DATA. */
static void
tprof_tell(struct dt_tprof *tp, const struct wire_block *wb, const void *data)
{
	struct wire_tprof_end we;

	if (wb->wb_kind == WIRE_BLOCK_NOTE) {
		memcpy(tp->tp_note, data, wb->wb_nbytes);
		tp->tp_note[wb->wb_nbytes] = '\0';
		tp->tp_notestarts = tp->tp_starts;
		return;
	}
	memcpy(&we, data, sizeof(we));
	tp->tp_ended = we.we_run;
}

/* Returns whether a block's length is valid for its kind. */
static int
tprof_isblock(const struct wire_block *wb)
{
	switch (wb->wb_kind) {
	case WIRE_BLOCK_DATA:
		return wb->wb_nbytes <= WIRE_MAXBLOCK &&
		    wb->wb_nbytes % sizeof(struct wire_tprof_sample) == 0;
	case WIRE_BLOCK_NOTE:
		return wb->wb_nbytes <= WIRE_MAXNOTE && wb->wb_nbytes % 8 == 0;
	case WIRE_BLOCK_END:
		return wb->wb_nbytes == sizeof(struct wire_tprof_end);
	default:
		return 0;
	}
}

/*
 * Takes the next header, and the rest of a block other than DATA, once it is
 * completely in the buffer.
 */
static int
tprof_header(struct dt *dt, struct dt_timeout *to)
{
	struct dt_tprof *tp = &dt->h_tprof;
	struct wire_block wb;

	if (tp->tp_end - tp->tp_pos < sizeof(wb))
		return tprof_fill(dt, to);
	memcpy(&wb, tp->tp_buf + tp->tp_pos, sizeof(wb));
	if (!tprof_isblock(&wb))
		return dt_fail(dt, EPROTO, "invalid data from the daemon");
	if (wb.wb_kind == WIRE_BLOCK_DATA) {
		tp->tp_pos += sizeof(wb);
		tp->tp_left = wb.wb_nbytes;
		tp->tp_note[0] = '\0'; /* of an earlier run */
		return TPROF_GOON;
	}
	if (tp->tp_end - tp->tp_pos < sizeof(wb) + wb.wb_nbytes)
		return tprof_fill(dt, to);
	tprof_tell(tp, &wb, tp->tp_buf + tp->tp_pos + sizeof(wb));
	tp->tp_pos += sizeof(wb) + wb.wb_nbytes;
	return TPROF_GOON;
}

/* Returns the next sample, in place. */
static int
tprof_next(struct dt *dt, struct dt_timeout *to,
    const struct wire_tprof_sample **wtp)
{
	struct dt_tprof *tp = &dt->h_tprof;
	int r = TPROF_GOON;

	if (tp->tp_buf == NULL && (tp->tp_buf = malloc(TPROF_BUFSIZE)) == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	while (r == TPROF_GOON) {
		if (tp->tp_left == 0)
			r = tprof_header(dt, to);
		else if (tp->tp_end - tp->tp_pos < sizeof(**wtp))
			r = tprof_fill(dt, to);
		else
			break;
	}
	if (r != TPROF_GOON)
		return r;
	/*
	 * aligned: the stream so far is a multiple of 8 long, and so is every
	 * move
	 */
	*wtp = (const void *)(tp->tp_buf + tp->tp_pos);
	tp->tp_pos += sizeof(**wtp);
	tp->tp_left -= sizeof(**wtp);
	return TPROF_GOON;
}

/* Copies the rest of a partly read sample. */
static size_t
tprof_rest(struct dt_tprof *tp, uint8_t *buf, size_t nbytes)
{
	size_t n = nbytes < tp->tp_nrest ? nbytes : tp->tp_nrest;

	if (n == 0)
		return 0; /* buf may be NULL */
	memcpy(buf, tp->tp_rest + TPROF_SAMPLE - tp->tp_nrest, n);
	tp->tp_nrest -= n;
	return n;
}

ssize_t
dt_tprof_read(struct dt *dt, void *buf, size_t nbytes, int timeout)
{
	struct dt_tprof *tp = &dt->h_tprof;
	struct dt_timeout to = { .to_msecs = timeout };
	const struct wire_tprof_sample *wt;
	size_t done = 0;
	int r;

	if (buf == NULL && nbytes > 0)
		return dt_fail(dt, EFAULT, "the buffer is NULL");
	for (;;) {
		done += tprof_rest(tp, (uint8_t *)buf + done, nbytes - done);
		if (done == nbytes)
			return (ssize_t)done;
		if ((r = tprof_next(dt, &to, &wt)) != TPROF_GOON)
			break;
		memcpy(tp->tp_rest, wt, TPROF_SAMPLE);
		tp->tp_nrest = TPROF_SAMPLE;
	}
	if (r == TPROF_END || done > 0)
		return (ssize_t)done;
	if (r == TPROF_TIMEOUT)
		errno = ETIMEDOUT;
	return -1;
}

int
dt_tprof_next(struct dt *dt, struct dt_tprof_sample *ts, int timeout)
{
	struct dt_timeout to = { .to_msecs = timeout };
	const struct wire_tprof_sample *wt;

	switch (tprof_next(dt, &to, &wt)) {
	case TPROF_GOON:
		memcpy(&ts->ts_sample, wt, sizeof(ts->ts_sample));
		ts->ts_time = wt->wt_time;
		return 1;
	case TPROF_TIMEOUT:
		return 0;
	case TPROF_END:
		errno = ENODATA;
		return -1;
	default:
		return -1;
	}
}
