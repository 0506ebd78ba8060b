/* SPDX-License-Identifier: ISC */
/*
 * dt_next(): from bytes of the data socket to events.
 *
 * The socket is read in large pieces into one buffer, and records are returned
 * in place.  The cost of an event is the ring header, its sections, a table
 * lookup for the number of its arguments, and its time: one division per second
 * of events, then subtractions.
 */
#include <sys/socket.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "lib/decode.h"
#include "lib/handle.h"
#include "lib/order.h"
#include "lib/timeout.h"

#define STREAM_UNKNOWN 0xff /* stm_nargs: not yet requested */
#define NSEC_PER_SEC   1000000000

/* Results of stream_advance(). */
#define STREAM_GOON    1 /* there may be records now */
#define STREAM_TIMEOUT 0

void
dt_stream_init(struct dt_stream *st)
{
	st->stm_fd = -1;
}

void
dt_stream_free(struct dt_stream *st)
{
	unsigned int i;

	if (st->stm_fd != -1) {
		/* a forked child may hold a copy, so shut down for all */
		shutdown(st->stm_fd, SHUT_RDWR);
		close(st->stm_fd);
		st->stm_fd = -1;
	}
	free(st->stm_blocks.bk_buf);
	st->stm_blocks.bk_buf = NULL;
	dt_ahead_free(&st->stm_ahead);
	for (i = 0; i < STREAM_NPARTS; i++) {
		free(st->stm_nargs[i]);
		st->stm_nargs[i] = NULL;
	}
	dt_order_free(st->stm_order);
	st->stm_order = NULL;
}

/*
 * Returns the clock offset at a time.  *room: time since that offset began,
 * *left: time until the next offset begins.
 */
static int64_t
stream_offset(const struct dt_stream *st, uint64_t time, uint64_t *room,
    uint64_t *left)
{
	const struct dt_epoch *ep = st->stm_epochs;
	const struct dt_epoch *last = ep + st->stm_nepochs - 1;

	*room = *left = NSEC_PER_SEC;
	for (; ep->ep_since > time; ep++) {
		*left = ep->ep_since - time;
		if (ep == last)
			return ep->ep_off; /* older than all known offsets */
	}
	*room = time - ep->ep_since;
	return ep->ep_off;
}

/*
 * Sets the second that contains time, or the part of it with the same offset;
 * see stream_realtime().
 */
static void
stream_second(struct dt_stream *st, uint64_t time)
{
	uint64_t room, left;
	/* unsigned: a hostile time may wrap, without undefined behaviour */
	int64_t real = (int64_t)(time +
	    (uint64_t)stream_offset(st, time, &room, &left));
	int64_t nsec = real % NSEC_PER_SEC;

	if (nsec < 0)
		nsec += NSEC_PER_SEC;
	st->stm_sec = real / NSEC_PER_SEC - (real < 0 && nsec != 0);
	st->stm_secbase = time - (uint64_t)nsec;
	if (room > (uint64_t)nsec)
		room = (uint64_t)nsec;
	if (left > NSEC_PER_SEC - (uint64_t)nsec)
		left = NSEC_PER_SEC - (uint64_t)nsec;
	st->stm_secfrom = time - room;
	st->stm_seclen = room + left;
}

/* Adds a clock offset; older records keep the offset of their time. */
static void
stream_clock(struct dt_stream *st, int64_t clockoff, uint64_t since)
{
	if (since == 0) /* applies to all later records */
		st->stm_nepochs = 0;
	memmove(st->stm_epochs + 1, st->stm_epochs,
	    (STREAM_EPOCHS - 1) * sizeof(st->stm_epochs[0]));
	st->stm_epochs[0] = (struct dt_epoch){ since, clockoff };
	if (st->stm_nepochs < STREAM_EPOCHS)
		st->stm_nepochs++;
	st->stm_seclen = 0;
}

int
dt_stream_open(struct dt *dt, int fd, int64_t clockoff, bool ordered)
{
	struct dt_stream *st = &dt->h_stream;

	st->stm_fd = fd;
	stream_clock(st, clockoff, 0);
	if (ordered && (st->stm_order = dt_order_alloc()) == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	return 0;
}

/*
 * Ends the stream with an error: kept records may still be returned, then
 * stream_wait() returns the error at every call.
 */
static int
stream_fail(struct dt *dt, int error, const char *text)
{
	struct dt_stream *st = &dt->h_stream;

	st->stm_error = error;
	st->stm_blocks.bk_lim = st->stm_blocks.bk_pos; /* no further record */
	if (st->stm_order != NULL)
		dt_order_flush(st->stm_order);
	return dt_fail(dt, error, "%s", text);
}

/*
 * Takes bytes that were read ahead, reads available ones, or waits for them.
 * Uses poll(2), because the kernel would restart a blocking recv(2) after a
 * signal.
 */
static int
stream_fill(struct dt *dt, struct dt_timeout *to)
{
	struct dt_stream *st = &dt->h_stream;
	struct pollfd pfd = { .fd = st->stm_fd, .events = POLLIN };
	size_t room;
	ssize_t n;
	void *space;

	space = dt_blocks_space(&st->stm_blocks, &room);
	if ((n = dt_ahead_take(&st->stm_ahead, space, room)) > 0) {
		dt_blocks_fed(&st->stm_blocks, (size_t)n);
		return STREAM_GOON;
	}
	for (;;) {
		n = recv(st->stm_fd, space, room, MSG_DONTWAIT);
		if (n > 0) {
			dt_blocks_fed(&st->stm_blocks, (size_t)n);
			return STREAM_GOON;
		}
		if (n == 0 || errno == ECONNRESET) {
			stream_fail(dt, EPIPE,
			    "the daemon closed the connection");
			return STREAM_GOON;
		}
		if (errno != EAGAIN)
			return -1;
		if (dt_timeout_left(to) == 0)
			return STREAM_TIMEOUT;
		if (dt_timeout_poll(to, &pfd) == -1)
			return -1;
	}
}

/* An error, also of the end, is left to the next stream_fill(). */
size_t
dt_readahead(struct dt *dt, size_t max)
{
	struct dt_stream *st = &dt->h_stream;
	size_t room, done = 0;
	ssize_t n;
	void *space;

	while (st->stm_error == 0 && st->stm_ahead.ah_nbytes < max) {
		if ((space = dt_ahead_space(&st->stm_ahead, &room)) == NULL)
			break;
		if ((n = recv(st->stm_fd, space, room, MSG_DONTWAIT)) <= 0)
			break;
		dt_ahead_fed(&st->stm_ahead, (size_t)n);
		done += (size_t)n;
	}
	return done;
}

/*
 * Allocates the buffer at the first read.  Clients that only send requests
 * need none.
 */
static int
stream_buffer(struct dt *dt)
{
	struct dt_blocks *bk = &dt->h_stream.stm_blocks;

	if (bk->bk_buf != NULL)
		return 0;
	bk->bk_buf = malloc(DT_BLOCKS_SIZE);
	if (bk->bk_buf == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	return 0;
}

/*
 * Advances to the next possible record: handles other blocks, and reads.
 * Returns STREAM_GOON, STREAM_TIMEOUT, or -1.
 */
static __attribute__((noinline)) int
stream_advance(struct dt *dt, struct dt_timeout *to)
{
	struct dt_stream *st = &dt->h_stream;
	struct dt_ledger ledger;
	uint64_t value;

	switch (dt_blocks_step(&st->stm_blocks, &value, &ledger)) {
	case DT_ITEM_AGAIN:
		break;
	case DT_ITEM_MORE:
		return stream_fill(dt, to);
	case DT_ITEM_PASS:
		if (st->stm_order != NULL) {
			dt_order_pass(st->stm_order, value);
			st->stm_passed = value;
		} else
			st->stm_lowwater = value;
		break;
	case DT_ITEM_CLOCK:
		stream_clock(st, (int64_t)value, st->stm_blocks.bk_since);
		break;
	case DT_ITEM_END:
		dt_ends_end(&dt->h_ends, &ledger);
		st->stm_ended = true;
		if (st->stm_order != NULL)
			dt_order_flush(st->stm_order);
		break;
	case DT_ITEM_NOTE:
		dt_ends_note(&dt->h_ends, st->stm_blocks.bk_note);
		break;
	case DT_ITEM_BAD:
		stream_fail(dt, EPROTO, "invalid data from the daemon");
	}
	return STREAM_GOON;
}

/* Ensures that the table has an entry for a probe. */
static int
stream_grow(struct dt *dt, uint32_t pbn)
{
	uint8_t **part = &dt->h_stream.stm_nargs[pbn / STREAM_PART];

	if (*part != NULL)
		return 0;
	if ((*part = malloc(STREAM_PART)) == NULL)
		return dt_fail(dt, ENOMEM, NULL);
	memset(*part, STREAM_UNKNOWN, STREAM_PART);
	return 0;
}

/* Returns the number of a probe's arguments, or STREAM_UNKNOWN. */
static inline unsigned int
stream_nargs(const struct dt_stream *st, uint32_t pbn)
{
	const uint8_t *part = pbn < STREAM_MAXPBN
	    ? st->stm_nargs[pbn / STREAM_PART]
	    : NULL;

	return part != NULL ? part[pbn % STREAM_PART] : STREAM_UNKNOWN;
}

/* Requests a probe's number of arguments, at its first record. */
static __attribute__((noinline)) int
stream_learn(struct dt *dt, uint32_t pbn, unsigned int *nargsp)
{
	uint8_t *part;
	int nargs;

	if (pbn >= STREAM_MAXPBN)
		return stream_fail(dt, EPROTO,
		    "invalid data from the daemon: a record of an unknown probe");
	nargs = dt_probes_nargs(dt, pbn);
	if (nargs == -1 && errno == ENOENT)
		return stream_fail(dt, EPROTO,
		    "invalid data from the daemon: a record of an unknown probe");
	if (nargs == -1)
		return -1;
	if (nargs > DT_REC_NARGS)
		return stream_fail(dt, EPROTO,
		    "invalid data from the daemon: "
		    "a probe with too many arguments");
	if (stream_grow(dt, pbn) == -1)
		return -1;
	part = dt->h_stream.stm_nargs[pbn / STREAM_PART];
	part[pbn % STREAM_PART] = (uint8_t)nargs;
	*nargsp = (unsigned int)nargs;
	return 0;
}

/* Converts dr_time to CLOCK_REALTIME. */
static inline void
stream_realtime(struct dt_stream *st, uint64_t time, struct timespec *ts)
{
	if (time - st->stm_secfrom >= st->stm_seclen)
		stream_second(st, time);
	ts->tv_sec = st->stm_sec;
	ts->tv_nsec = (long)(time - st->stm_secbase);
}

/* Converts a record to an event.  Returns 1 or -1. */
static inline int
stream_event(struct dt *dt, const struct dt_rec *rec, uint32_t cpu,
    struct dt_event *ev)
{
	struct dt_stream *st = &dt->h_stream;
	unsigned int nargs = stream_nargs(st, rec->dr_pbn);

	if (__builtin_expect(nargs == STREAM_UNKNOWN, 0) &&
	    stream_learn(dt, rec->dr_pbn, &nargs) == -1)
		return -1;
	if (__builtin_expect(dt_decode_rec(rec, nargs, ev) == -1, 0))
		return stream_fail(dt, EPROTO,
		    "invalid data from the daemon: an inconsistent record");
	ev->ev_cpu = cpu;
	stream_realtime(st, rec->dr_time, &ev->ev_realtime);
	return 1;
}

/* Reports END once, after all earlier records were returned. */
static int
stream_ended(struct dt_stream *st)
{
	st->stm_ended = false;
	errno = ENODATA;
	return -1;
}

/* Called without a record at hand.  Results as of stream_advance(). */
static __attribute__((noinline)) int
stream_wait(struct dt *dt, struct dt_timeout *to)
{
	struct dt_stream *st = &dt->h_stream;

	if (st->stm_error != 0) {
		errno = st->stm_error;
		return -1;
	}
	if (st->stm_ended)
		return stream_ended(st);
	if (stream_buffer(dt) == -1)
		return -1;
	return stream_advance(dt, to);
}

/* dt_next() if the next record is not in the buffer. */
static __attribute__((noinline)) int
stream_next_wait(struct dt *dt, struct dt_event *ev, int timeout)
{
	struct dt_stream *st = &dt->h_stream;
	struct dt_timeout to = { .to_msecs = timeout };
	const struct dt_rec *rec;
	int r;

	while ((rec = dt_blocks_rec(&st->stm_blocks)) == NULL) {
		r = stream_wait(dt, &to);
		if (r != STREAM_GOON)
			return r;
	}
	return stream_event(dt, rec, st->stm_blocks.bk_cpu, ev);
}

/*
 * Moves records from the buffer to the sorter.  Returns a record that must be
 * returned at once because it is late; or NULL: the buffer is empty, or (*full)
 * no more records fit.
 */
static const struct dt_rec *
stream_keep(struct dt_stream *st, bool *full)
{
	const struct dt_rec *rec;

	while (dt_order_room(st->stm_order)) {
		rec = dt_blocks_rec(&st->stm_blocks);
		if (rec == NULL)
			return NULL;
		if (!dt_order_add(st->stm_order, rec, st->stm_blocks.bk_cpu,
			0)) {
			__atomic_fetch_add(&st->stm_late, 1, __ATOMIC_RELAXED);
			return rec;
		}
	}
	*full = true;
	return NULL;
}

/* dt_next() for DT_OPEN_ORDERED: first sorted records, then new ones. */
static __attribute__((noinline)) int
stream_next_ordered(struct dt *dt, struct dt_event *ev, int timeout)
{
	struct dt_stream *st = &dt->h_stream;
	struct dt_timeout to = { .to_msecs = timeout };
	const struct dt_kept *kp;
	const struct dt_rec *rec;
	bool full = false;
	int r;

	for (;;) {
		kp = dt_order_get(st->stm_order);
		if (kp != NULL) {
			r = stream_event(dt, DT_KEPT_REC(kp), kp->kpt_cpu, ev);
			if (r == -1 && st->stm_error != 0)
				continue; /* return the others first */
			return r;
		}
		if (full) /* and no record to return */
			return dt_fail(dt, ENOMEM, NULL);
		rec = stream_keep(st, &full);
		if (rec != NULL)
			return stream_event(dt, rec, st->stm_blocks.bk_cpu, ev);
		if (full)
			continue; /* the older half may be returned now */
		r = stream_wait(dt, &to);
		if (r != STREAM_GOON)
			return r;
	}
}

int
dt_stream_next(struct dt *dt, struct dt_event *ev, int timeout)
{
	struct dt_stream *st = &dt->h_stream;
	const struct dt_rec *rec;

	if (st->stm_order != NULL)
		return stream_next_ordered(dt, ev, timeout);
	rec = dt_blocks_rec(&st->stm_blocks);
	if (__builtin_expect(rec == NULL, 0))
		return stream_next_wait(dt, ev, timeout);
	return stream_event(dt, rec, st->stm_blocks.bk_cpu, ev);
}

int
dt_next(struct dt *dt, struct dt_event *ev, int timeout)
{
	return dt_stream_next(dt, ev, timeout);
}

int
dt_fd(const struct dt *dt)
{
	return dt->h_stream.stm_fd;
}

uint64_t
dt_lowwater(const struct dt *dt)
{
	return dt->h_stream.stm_lowwater;
}

uint64_t
dt_late(const struct dt *dt)
{
	return __atomic_load_n(&dt->h_stream.stm_late, __ATOMIC_RELAXED);
}

int
dt_passed(struct dt *dt, uint64_t time)
{
	struct dt_stream *st = &dt->h_stream;
	uint64_t now;

	if (st->stm_order == NULL)
		return dt_fail(dt, EINVAL,
		    "dt_passed() requires DT_OPEN_ORDERED");
	if (dt_order_has(st->stm_order, time))
		return 0;
	if (time < st->stm_passed || st->stm_error != 0 ||
	    dt_ends_isover(&dt->h_ends))
		return 1;
	now = clock_monotonic();
	/* each request gets low water of its time or later */
	if (time < st->stm_requested || time >= now)
		return 0;
	if (dt_ioctl(dt, DTIOCPASS, NULL) == -1)
		return -1;
	st->stm_requested = now;
	return 0;
}
