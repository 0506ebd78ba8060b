/* SPDX-License-Identifier: ISC */
/*
 * The data socket: blocks and records cut anywhere, END, clocks, low water,
 * time limits, signals; and invalid streams.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#include "lib/stream_blocks.h"
#include "tests/unit/test_libdt_out.h"
#include "tests/unit/test_libdt_peer.h"
#include "tests/unit/test_libdt_rec.h"

#define SEC 1000000000ULL

static void
put_clock(int64_t off, uint64_t since)
{
	put_block(WIRE_BLOCK_CLOCK, 0, sizeof(off), since);
	put(&off, sizeof(off));
}

/* The daemon's reason for stopping a run, and its END. */
static void
put_note(const char *text)
{
	char note[WIRE_MAXNOTE] = "";

	memcpy(note, text, strlen(text));
	put_block(WIRE_BLOCK_NOTE, 0, sizeof(note), 0);
	put(note, sizeof(note));
}

static void
put_stopped(uint64_t fired, uint64_t runs)
{
	struct dt_ledger dl = { .dl_fired = fired,
		.dl_read = fired,
		.dl_runs = runs,
		.dl_flags = DT_LEDGER_FINAL | DT_LEDGER_STOPPED };

	put_block(WIRE_BLOCK_END, 0, sizeof(dl), 0);
	put(&dl, sizeof(dl));
}

/* One of everything, with 6 records in three blocks. */
static void
append_everything(void)
{
	_Alignas(8) uint8_t other[REC_MAX];
	struct dt_rec *rec = (struct dt_rec *)other;
	size_t n = rec_build(other, DT_REC_KSTACK, 9, 9);

	rec->dr_kind = 99;
	put_block(WIRE_BLOCK_PASS, 0, 0, 1);
	put_block(WIRE_BLOCK_DATA, 1, 2 * SPAN1 + SPAN2, 0);
	put_rec(1, 5 * SEC);
	put_rec(2, 6 * SEC);
	put_rec(1, 7 * SEC);
	put_block(WIRE_BLOCK_DATA, 2, 0, 0);
	put_block(1000, 0, 48, 0); /* of an unknown kind */
	put(other, 48);
	put_block(WIRE_BLOCK_DATA, 0, (uint32_t)n + 8 + 48 + 2 * SPAN1, 0);
	put_ring(other, (uint32_t)n, 0);
	put_rec(1, 6 * SEC);
	put_ring(other, 40, DT_RING_DISCARD);
	put_rec(1, 8 * SEC);
	put_clock(-1, 9 * SEC);
	put_block(WIRE_BLOCK_DATA, 3, SPAN2, 0);
	put_rec(2, 9 * SEC);
	put_note("it was too much");
	put_end(6, 0); /* no run was started */
}

#define NEVERYTHING 6

static void
put_everything(void)
{
	out.o_len = 0;
	append_everything();
}

/* Replies to the requests that libdt needs for decoding: the list of probes. */
static void
serve_probes(struct peer *pe)
{
	struct dtioc_probe_info pi[2] = {
		{ .dtpi_pbn = 1 },
		{ .dtpi_pbn = 2, .dtpi_nargs = REC_NARGS },
	};

	while (peer_get(pe)) {
		if (pe->pe_hdr.wh_command == DTIOCGPLIST)
			peer_list(pe, 2, 2, pi, sizeof(pi));
		else
			peer_reply(pe, 0, "", 0);
	}
}

/* Sends the contents of out, in pieces of this length. */
static size_t piece;
static atomic_int sent; /* all of out */

static void *
sender(void *arg)
{
	struct peer *pe = arg;
	size_t i, n;

	for (i = 0; i < out.o_len; i += n) {
		n = out.o_len - i < piece ? out.o_len - i : piece;
		peer_send(pe->pe_data, out.o_buf + i, n);
	}
	atomic_store(&sent, 1);
	return NULL;
}

/*
 * Two threads, as in dtd: a reader that sends a request must not wait for
 * itself.
 */
static void
script_stream(struct peer *pe)
{
	pthread_t thread;

	peer_hello(pe);
	peer_welcome(pe);
	PEER_ASSERT(pthread_create(&thread, NULL, sender, pe) == 0);
	serve_probes(pe);
	pthread_join(thread, NULL);
}

static struct peer *
stream_peer(void)
{
	if (piece == 0)
		piece = sizeof(out.o_buf);
	return peer_start(script_stream);
}

/* Without a socket: the same stream, cut at every byte. */
static void
a_stream_may_be_cut_anywhere(void **state)
{
	struct dt_blocks bk = { 0 };
	const struct dt_rec *rec;
	struct dt_ledger dl;
	size_t cut, fed, n, room;
	uint64_t sum, value;
	enum dt_item item;
	int ends, recs;
	void *to;

	(void)state;
	put_everything();
	bk.bk_buf = malloc(DT_BLOCKS_SIZE);
	assert_non_null(bk.bk_buf);
	for (cut = 1; cut <= out.o_len; cut++) {
		fed = 0;
		ends = recs = 0;
		sum = 0;
		for (;;) {
			while ((rec = dt_blocks_rec(&bk)) != NULL) {
				recs++;
				sum += rec->dr_time / SEC + bk.bk_cpu;
			}
			item = dt_blocks_step(&bk, &value, &dl);
			assert_int_not_equal(item, DT_ITEM_BAD);
			ends += item == DT_ITEM_END;
			if (item != DT_ITEM_MORE)
				continue;
			if (fed == out.o_len)
				break;
			to = dt_blocks_space(&bk, &room);
			assert_true(room >= DT_BLOCKS_MAXREC);
			n = out.o_len - fed < cut ? out.o_len - fed : cut;
			memcpy(to, out.o_buf + fed, n);
			dt_blocks_fed(&bk, n);
			fed += n;
		}
		assert_int_equal(recs, NEVERYTHING);
		assert_int_equal(ends, 1);
		assert_int_equal(sum, 5 + 6 + 7 + 3 + 6 + 8 + 9 + 3);
		assert_int_equal(bk.bk_pos, bk.bk_end);
	}
	free(bk.bk_buf);
}

static void
records_arrive_as_events(void **state)
{
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;
	struct dt_ledger dl;

	(void)state;
	put_everything();
	piece = 61;
	pe = stream_peer();
	dt = peer_open(pe, 0);
	assert_int_equal(dt_ledger(dt, &dl), -1);
	assert_int_equal(errno, EAGAIN);

	assert_int_equal(dt_next(dt, &ev, -1), 1);
	assert_int_equal(ev.ev_rec->dr_time, 5 * SEC);
	assert_int_equal(ev.ev_cpu, 1);
	assert_string_equal(ev.ev_comm, "comm");
	assert_null(ev.ev_args);
	assert_int_equal(ev.ev_realtime.tv_sec, PEER_CLOCKOFF / SEC + 5);
	assert_int_equal(ev.ev_realtime.tv_nsec, 0);
	assert_int_equal(dt_next(dt, &ev, 1000), 1);
	assert_int_equal(ev.ev_nargs, REC_NARGS);
	assert_int_equal(ev.ev_args[1], 101);
	assert_int_equal(dt_next(dt, &ev, -1), 1);
	assert_int_equal(dt_next(dt, &ev, -1), 1);
	assert_int_equal(ev.ev_cpu, 0);
	assert_int_equal(dt_next(dt, &ev, -1), 1);
	assert_int_equal(ev.ev_rec->dr_time, 8 * SEC);
	assert_int_equal(ev.ev_realtime.tv_sec, PEER_CLOCKOFF / SEC + 8);
	assert_int_equal(dt_next(dt, &ev, -1), 1);
	/* the clock was set meanwhile */
	assert_int_equal(ev.ev_realtime.tv_sec, 8);
	assert_int_equal(ev.ev_realtime.tv_nsec, 999999999);
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_int_equal(errno, ENODATA);
	assert_int_equal(dt_ledger(dt, &dl), 0);
	assert_int_equal(dl.dl_fired, 6);
	assert_int_equal(dt_next(dt, &ev, 0), 0);
	assert_int_equal(dt_next(dt, &ev, 5), 0);
	dt_close(dt);
	peer_stop(pe);
}

static void
reads_give_whole_events_and_one_zero(void **state)
{
	struct peer *pe;
	struct dt *dt;
	static struct dt_evt evt[10];
	ssize_t n, total = 0;

	(void)state;
	put_everything();
	piece = 0;
	pe = stream_peer();
	dt = peer_open(pe, 0);
	assert_int_equal(dt_read(dt, evt, sizeof(evt[0]) - 1, -1), -1);
	assert_int_equal(errno, EMSGSIZE);
	assert_int_equal(dt_read(dt, evt, 0, -1), -1);
	assert_int_equal(errno, EMSGSIZE);
	assert_int_equal(dt_read(dt, NULL, sizeof(evt), -1), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(dt_read(dt, evt, 2 * sizeof(evt[0]) - 1, -1),
	    sizeof(evt[0]));
	assert_int_equal(evt[0].dtev_tsp.tv_sec, PEER_CLOCKOFF / SEC + 5);
	assert_string_equal(evt[0].dtev_comm, "comm");
	/* END follows the last event, and the next read reports it */
	while ((n = dt_read(dt, evt, sizeof(evt), -1)) > 0)
		total += n;
	assert_int_equal(n, 0);
	assert_int_equal(total, (NEVERYTHING - 1) * sizeof(evt[0]));
	assert_int_equal(dt_read(dt, evt, sizeof(evt), 0), -1);
	assert_int_equal(errno, ETIMEDOUT);
	dt_close(dt);
	peer_stop(pe);
}

/*
 * A record that is older than the clock's change and arrives later has the old
 * offset, also within a second, and of two changes the one of its time.
 */
static void
a_set_clock_holds_from_its_time(void **state)
{
	static const struct {
		uint64_t time;
		int64_t real;
	} evs[] = {
		{ 10 * SEC + 100, PEER_CLOCKOFF + 10 * SEC + 100 },
		{ 10 * SEC + 500, 7 + 10 * SEC + 500 },
		{ 10 * SEC + 499, PEER_CLOCKOFF + 10 * SEC + 499 },
		{ 10 * SEC + 501, 7 + 10 * SEC + 501 },
		{ 10 * SEC + 800, 9 + 10 * SEC + 800 },
		{ 10 * SEC + 799, 7 + 10 * SEC + 799 },
		{ 9 * SEC, PEER_CLOCKOFF + 9 * SEC },
		{ 11 * SEC, 9 + 11 * SEC },
	};
	size_t i, n = sizeof(evs) / sizeof(evs[0]);
	struct dt_event ev;
	struct peer *pe;
	struct dt *dt;

	(void)state;
	out.o_len = 0;
	put_clock(7, 10 * SEC + 500);
	put_clock(9, 10 * SEC + 800);
	put_block(WIRE_BLOCK_DATA, 0, (uint32_t)n * SPAN1, 0);
	for (i = 0; i < n; i++)
		put_rec(1, evs[i].time);
	piece = 0;
	pe = stream_peer();
	dt = peer_open(pe, 0);
	for (i = 0; i < n; i++) {
		assert_int_equal(dt_next(dt, &ev, -1), 1);
		assert_int_equal(ev.ev_rec->dr_time, evs[i].time);
		assert_int_equal(ev.ev_realtime.tv_sec * SEC +
			ev.ev_realtime.tv_nsec,
		    evs[i].real);
	}
	dt_close(dt);
	peer_stop(pe);
}

static void
ordered_events_come_by_time(void **state)
{
	static const uint64_t times[] = { 5, 6, 6, 7, 8, 9 };
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;
	size_t i;

	(void)state;
	put_everything();
	piece = 100;
	pe = stream_peer();
	dt = peer_open(pe, DT_OPEN_ORDERED);
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		assert_int_equal(dt_next(dt, &ev, -1), 1);
		assert_int_equal(ev.ev_rec->dr_time, times[i] * SEC);
		/* each by the clock of its time */
		assert_int_equal(ev.ev_realtime.tv_sec,
		    times[i] == 9 ? 8 : PEER_CLOCKOFF / SEC + times[i]);
	}
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_int_equal(errno, ENODATA);
	assert_int_equal(dt_late(dt), 0);
	dt_close(dt);
	peer_stop(pe);
}

static void
ordered_events_wait_for_low_water_and_late_ones_do_not(void **state)
{
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;

	(void)state;
	out.o_len = 0;
	put_block(WIRE_BLOCK_DATA, 0, 2 * SPAN1, 0);
	put_rec(1, 100);
	put_rec(1, 300);
	put_block(WIRE_BLOCK_DATA, 1, SPAN1, 0);
	put_rec(1, 200);
	put_block(WIRE_BLOCK_PASS, 0, 0, 300);
	put_block(WIRE_BLOCK_DATA, 1, SPAN1, 0);
	put_rec(1, 150);
	piece = 0;
	pe = stream_peer();
	dt = peer_open(pe, DT_OPEN_ORDERED);
	assert_int_equal(dt_next(dt, &ev, -1), 1);
	assert_int_equal(ev.ev_rec->dr_time, 100);
	assert_int_equal(dt_next(dt, &ev, -1), 1);
	assert_int_equal(ev.ev_rec->dr_time, 200);
	assert_int_equal(dt_late(dt), 0);
	assert_int_equal(dt_next(dt, &ev, -1), 1);
	assert_int_equal(ev.ev_rec->dr_time, 150);
	assert_int_equal(dt_late(dt), 1);
	assert_int_equal(dt_next(dt, &ev, 0), 0);
	dt_close(dt); /* with one that is still kept */
	peer_stop(pe);
}

/* Sends the contents of out, and exits. */
static void
script_dies(struct peer *pe)
{
	struct dtioc_probe_info pi = { .dtpi_pbn = 1 };

	peer_hello(pe);
	peer_welcome(pe);
	peer_send(pe->pe_data, out.o_buf, out.o_len);
	PEER_ASSERT(peer_get(pe));
	peer_list(pe, 1, 1, &pi, sizeof(pi));
}

/* The stream is longer than the socket's buffers. */
static void
what_was_read_ahead_is_delivered_in_order(void **state)
{
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;
	uint64_t i, n;
	int flags;

	(void)state;
	for (flags = 0; flags <= DT_OPEN_ORDERED; flags += DT_OPEN_ORDERED) {
		out.o_len = 0;
		for (n = 0; n < 11000; n += 100) {
			put_block(WIRE_BLOCK_DATA, 0, 100 * SPAN2, 0);
			for (i = 0; i < 100; i++)
				put_rec(2, n + i);
			put_block(WIRE_BLOCK_PASS, 0, 0, n + 100);
		}
		put_end(n, 1);
		piece = 0;
		atomic_store(&sent, 0);
		pe = stream_peer();
		dt = peer_open(pe, flags);
		assert_int_equal(dt_readahead(dt, 0), 0);
		assert_int_equal(dt_next(dt, &ev, -1), 1);
		assert_int_equal(ev.ev_rec->dr_time, 0);
		for (i = 0; !atomic_load(&sent);)
			i += dt_readahead(dt, sizeof(out.o_buf));
		i += dt_readahead(dt, sizeof(out.o_buf));
		assert_true(i > 0);
		assert_int_equal(ev.ev_rec->dr_time, 0);
		for (i = 1; i < n; i++) {
			assert_int_equal(dt_next(dt, &ev, -1), 1);
			assert_int_equal(ev.ev_rec->dr_time, i);
		}
		assert_int_equal(dt_next(dt, &ev, -1), -1);
		assert_int_equal(errno, ENODATA);
		dt_close(dt);
		peer_stop(pe);
	}
}

static void
what_was_kept_is_delivered_before_epipe(void **state)
{
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;
	int flags;

	(void)state;
	for (flags = 0; flags <= DT_OPEN_ORDERED; flags += DT_OPEN_ORDERED) {
		out.o_len = 0;
		put_block(WIRE_BLOCK_DATA, 0, 3 * SPAN1, 0);
		put_rec(1, 100);
		put_rec(1, 300);
		put("half", 4);
		pe = peer_start(script_dies);
		dt = peer_open(pe, flags);
		assert_int_equal(dt_probe(dt, 1) == NULL, 1);
		assert_int_equal(errno, EPIPE);
		assert_int_equal(dt_next(dt, &ev, -1), 1);
		assert_int_equal(dt_next(dt, &ev, -1), 1);
		assert_int_equal(dt_next(dt, &ev, -1), -1);
		assert_int_equal(errno, EPIPE);
		assert_int_equal(dt_next(dt, &ev, -1), -1);
		assert_int_equal(errno, EPIPE);
		dt_close(dt);
		peer_stop(pe);
	}
}

static void
the_ledger_is_that_of_the_last_run(void **state)
{
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;
	struct dt_ledger dl;
	int on = 1;

	(void)state;
	out.o_len = 0;
	put_end(1, 1);
	put_end(2, 2);
	piece = 0;
	pe = stream_peer();
	dt = peer_open(pe, 0);
	/* the second run begins before the END of the first was read */
	assert_int_equal(dt_ioctl(dt, DTIOCRECORD, &on), 0);
	assert_int_equal(dt_ioctl(dt, DTIOCRECORD, &on), 0);
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_int_equal(errno, ENODATA);
	assert_int_equal(dt_ledger(dt, &dl), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_int_equal(errno, ENODATA);
	assert_int_equal(dt_ledger(dt, &dl), 0);
	assert_int_equal(dl.dl_fired, 2);
	assert_int_equal(dt_ioctl(dt, DTIOCRECORD, &on), 0);
	assert_int_equal(dt_ledger(dt, &dl), -1);
	dt_close(dt);
	peer_stop(pe);
}

static void
a_note_is_that_of_the_end_behind_it(void **state)
{
	char longest[WIRE_MAXNOTE + 1];
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;
	int on = 1;

	(void)state;
	memset(longest, 'x', WIRE_MAXNOTE);
	longest[WIRE_MAXNOTE] = '\0';
	out.o_len = 0;
	put_note("of another run"); /* the END of that run was not sent */
	put_note("too much");
	put_stopped(1, 1);
	put_stopped(2, 2); /* without a note */
	put_note("the client was quicker");
	put_end(3, 3);
	put_note(longest); /* fills its block */
	put_stopped(4, 4);
	piece = 3;
	pe = stream_peer();
	dt = peer_open(pe, 0);
	assert_null(dt_note(dt));
	assert_int_equal(dt_ioctl(dt, DTIOCRECORD, &on), 0);
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_int_equal(errno, ENODATA);
	assert_string_equal(dt_note(dt), "too much");
	assert_int_equal(dt_ioctl(dt, DTIOCRECORD, &on), 0);
	assert_null(dt_note(dt));
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_null(dt_note(dt));
	assert_int_equal(dt_ioctl(dt, DTIOCRECORD, &on), 0);
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_null(dt_note(dt));
	assert_int_equal(dt_ioctl(dt, DTIOCRECORD, &on), 0);
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_string_equal(dt_note(dt), longest);
	dt_close(dt);
	peer_stop(pe);
}

static void
on_alarm(int sig)
{
	(void)sig;
}

static void
a_signal_ends_waiting_with_eintr(void **state)
{
	struct itimerval soon = {
		.it_value.tv_usec = 10000, .it_interval.tv_usec = 10000,
	}, never = { .it_value.tv_usec = 0 };
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;
	static struct dt_evt evt;
	sigset_t set, old;

	(void)state;
	out.o_len = 0;
	/* to this thread, not to the peer's; and SA_RESTART all the same */
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	pe = stream_peer();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	signal(SIGALRM, on_alarm);
	dt = peer_open(pe, 0);
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_int_equal(dt_next(dt, &ev, -1), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(dt_read(dt, &evt, sizeof(evt), 60000), -1);
	assert_int_equal(errno, EINTR);
	setitimer(ITIMER_REAL, &never, NULL);
	dt_close(dt);
	peer_stop(pe);
}

/* Invalid streams, each on its own connection. */
static void
put_nonsense(int how)
{
	_Alignas(8) uint8_t buf[REC_MAX] = { 0 };
	struct dt_rec *rec = (struct dt_rec *)buf;
	uint32_t n = (uint32_t)rec_build(buf, DT_REC_COMM, 1, 1);

	switch (how) {
	case 0:
		put_block(WIRE_BLOCK_DATA, 0, WIRE_MAXBLOCK + 8, 0);
		break;
	case 1:
		put_block(WIRE_BLOCK_DATA, 0, 9, 0);
		break;
	case 2:
		put_block(WIRE_BLOCK_CLOCK, 0, 16, 0);
		break;
	case 3:
		put_block(WIRE_BLOCK_END, 0, 8, 0);
		break;
	case 4:
		put_block(WIRE_BLOCK_PASS, 0, 8, 0);
		break;
	case 5:
		put_block(77, 0, UINT32_MAX, 0);
		break;
	case 6: /* a record that its ring never committed */
		put_block(WIRE_BLOCK_DATA, 0, n + 8, 0);
		put_ring(buf, n, DT_RING_BUSY);
		break;
	case 7: /* crosses its block */
		put_block(WIRE_BLOCK_DATA, 0, n, 0);
		put_ring(buf, n, 0);
		break;
	case 8: /* is longer than any */
		put_block(WIRE_BLOCK_DATA, 0, WIRE_MAXBLOCK, 0);
		put_ring(buf, 8, DT_BLOCKS_MAXREC);
		break;
	case 9: /* does not even have a header */
		put_block(WIRE_BLOCK_DATA, 0, 8 + 16, 0);
		put_ring(buf, 16, 0);
		break;
	case 10: /* claims more than the ring has */
		rec->dr_length = (__u16)(n + 8);
		put_block(WIRE_BLOCK_DATA, 0, n + 8, 0);
		put_ring(buf, n, 0);
		break;
	case 11: /* claims less than a header */
		rec->dr_length = 23;
		put_block(WIRE_BLOCK_DATA, 0, n + 8, 0);
		put_ring(buf, n, 0);
		break;
	case 12: /* longer than the limit of a note */
		put_block(WIRE_BLOCK_NOTE, 0, WIRE_MAXNOTE + 8, 0);
		put(buf, WIRE_MAXNOTE + 8);
		break;
	case 13: /* a probe that does not exist */
		rec->dr_pbn = 3;
		put_block(WIRE_BLOCK_DATA, 0, n + 8, 0);
		put_ring(buf, n, 0);
		break;
	case 14: /* and that cannot exist */
		rec->dr_pbn = UINT32_MAX;
		put_block(WIRE_BLOCK_DATA, 0, n + 8, 0);
		put_ring(buf, n, 0);
		break;
	case 15: /* contradicts itself */
		rec->dr_flags |= DT_REC_ARGS | DT_REC_KSTACK;
		put_block(WIRE_BLOCK_DATA, 0, n + 8, 0);
		put_ring(buf, n, 0);
		break;
	}
}

#define NNONSENSE 16

static void
streams_that_make_no_sense_are_eproto(void **state)
{
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;
	int flags, how, n;

	(void)state;
	piece = 0;
	for (how = 0; how < 2 * NNONSENSE; how++) {
		flags = how < NNONSENSE ? 0 : DT_OPEN_ORDERED;
		out.o_len = 0;
		put_block(WIRE_BLOCK_DATA, 0, SPAN1, 0);
		put_rec(1, 1);
		put_block(WIRE_BLOCK_PASS, 0, 0, 2);
		put_nonsense(how % NNONSENSE);
		if (how % NNONSENSE >= 13) /* and valid ones after it */
			append_everything();
		pe = stream_peer();
		dt = peer_open(pe, flags);
		n = 0;
		while (dt_next(dt, &ev, -1) == 1)
			n++;
		/*
		 * kept before the record was decoded: they are returned first
		 */
		if (how < NNONSENSE + 13)
			assert_int_equal(n, 1);
		else
			assert_int_equal(n, 1 + NEVERYTHING);
		assert_int_equal(errno, EPROTO);
		assert_int_equal(dt_next(dt, &ev, -1), -1);
		assert_int_equal(errno, EPROTO);
		dt_close(dt);
		peer_stop(pe);
	}
}

/* One thread sends requests while another reads; for the thread sanitizer. */
static void *
asker(void *arg)
{
	struct dt *dt = arg;
	struct dt_ledger dl;
	int i, on = 0;

	for (i = 0; i < 200; i++) {
		PEER_ASSERT(dt_ioctl(dt, DTIOCRECORD, &on) == 0);
		dt_ledger(dt, &dl);
		dt_late(dt);
		PEER_ASSERT(dt_error(dt) != NULL);
		dt_probe(dt, 5);
	}
	return NULL;
}

static void
one_thread_may_ask_while_another_reads(void **state)
{
	struct peer *pe;
	struct dt *dt;
	struct dt_event ev;
	pthread_t thread;
	int n = 0;

	(void)state;
	out.o_len = 0;
	while (out.o_len < sizeof(out.o_buf) - 10000) {
		put_block(WIRE_BLOCK_DATA, 0, 50 * SPAN2, 0);
		do
			put_rec(2, (uint64_t)n++);
		while (n % 50 != 0);
		put_block(WIRE_BLOCK_PASS, 0, 0, (uint64_t)n);
	}
	put_end((uint64_t)n, 1);
	piece = 0;
	pe = stream_peer();
	dt = peer_open(pe, DT_OPEN_ORDERED);
	assert_int_equal(pthread_create(&thread, NULL, asker, dt), 0);
	while (dt_next(dt, &ev, -1) == 1)
		n--;
	assert_int_equal(errno, ENODATA);
	assert_int_equal(n, 0);
	pthread_join(thread, NULL);
	dt_close(dt);
	peer_stop(pe);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_may_be_cut_anywhere),
		cmocka_unit_test(records_arrive_as_events),
		cmocka_unit_test(reads_give_whole_events_and_one_zero),
		cmocka_unit_test(a_set_clock_holds_from_its_time),
		cmocka_unit_test(ordered_events_come_by_time),
		cmocka_unit_test(
		    ordered_events_wait_for_low_water_and_late_ones_do_not),
		cmocka_unit_test(what_was_read_ahead_is_delivered_in_order),
		cmocka_unit_test(what_was_kept_is_delivered_before_epipe),
		cmocka_unit_test(the_ledger_is_that_of_the_last_run),
		cmocka_unit_test(a_note_is_that_of_the_end_behind_it),
		cmocka_unit_test(a_signal_ends_waiting_with_eintr),
		cmocka_unit_test(streams_that_make_no_sense_are_eproto),
		cmocka_unit_test(one_thread_may_ask_while_another_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
