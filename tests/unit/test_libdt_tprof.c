/* SPDX-License-Identifier: ISC */
/*
 * Streams of tprof: samples cut anywhere, ends of runs, and invalid streams.  A
 * thread plays the daemon.
 */
#include "lib/device.h"
#include "tests/unit/test_libdt_peer.h"
#include "wire/sample.h"

#define NSAMPLES 5000

static struct {
	uint8_t buf[1 << 20];
	size_t len;
	size_t piece; /* sent at a time; 0: all */
	uint32_t run; /* sent with START */
} out;

static void
put(const void *what, size_t nbytes)
{
	memcpy(out.buf + out.len, what, nbytes);
	out.len += nbytes;
}

static void
put_block(uint32_t kind, uint32_t nbytes)
{
	const struct wire_block wb = { .wb_kind = kind, .wb_nbytes = nbytes };

	put(&wb, sizeof(wb));
}

static void
put_samples(uint32_t from, uint32_t n)
{
	struct wire_tprof_sample wt = { 0 };

	put_block(WIRE_BLOCK_DATA, n * sizeof(wt));
	for (; n > 0; n--, from++) {
		wt.wt_pid = from;
		wt.wt_pc = ~(uint64_t)from;
		wt.wt_time = 1000 + from;
		put(&wt, sizeof(wt));
	}
}

static void
put_end(uint32_t run)
{
	const struct wire_tprof_end we = { .we_run = run };

	put_block(WIRE_BLOCK_END, sizeof(we));
	put(&we, sizeof(we));
}

/* Replies to START, and sends the stored bytes. */
static void
serve(struct peer *pe)
{
	const struct wire_tprof_run wr = { .wr_run = out.run };
	size_t off, n;

	peer_hello(pe);
	peer_welcome(pe);
	while (peer_get(pe)) {
		peer_reply(pe, 0, &wr, sizeof(wr));
		for (off = 0; off < out.len; off += n) {
			n = out.len - off;
			if (out.piece != 0 && n > out.piece)
				n = out.piece;
			peer_send(pe->pe_data, out.buf + off, n);
		}
		out.len = 0;
	}
}

static struct peer *peer;

static struct dt *
begin(uint32_t run)
{
	char path[sizeof(peer->pe_dir) + 8];
	uint32_t mask = 1;
	struct dt *dt;

	out.run = run;
	peer = peer_start(serve);
	snprintf(path, sizeof(path), "%s/tprof", peer->pe_dir);
	assert_int_equal(symlink(peer->pe_path, path), 0);
	dt = dt_open(path, DT_OPEN_SERVICE);
	assert_non_null(dt);
	unlink(path);
	assert_int_equal(dt_ioctl(dt, TPROF_IOC_START, &mask), 0);
	return dt;
}

static void
end(struct dt *dt)
{
	dt_close(dt);
	peer_stop(peer);
	memset(&out, 0, sizeof(out));
}

/* For all sizes of requests and of pieces. */
static void
bytes_are_those_of_all_samples(void **state)
{
	static const size_t sizes[] = { 1, 7, 24, 100, 4096 };
	static uint8_t buf[NSAMPLES * sizeof(tprof_sample_t) + 1];
	tprof_sample_t s;
	struct dt *dt;
	size_t i, have;
	ssize_t n;
	uint32_t j;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		put_samples(0, 3);
		put_samples(3, 0);
		put_samples(3, NSAMPLES - 3);
		put_end(1);
		out.piece = i == 0 ? 0 : 1000 + i;
		dt = begin(1);
		for (have = 0; have < sizeof(buf); have += n) {
			n = dt_read(dt, buf + have,
			    sizeof(buf) - have < sizes[i] ? sizeof(buf) - have
							  : sizes[i],
			    -1);
			assert_true(n >= 0);
			if (n == 0)
				break;
		}
		assert_int_equal(have, sizeof(buf) - 1);
		for (j = 0; j < NSAMPLES; j++) {
			memcpy(&s, buf + j * sizeof(s), sizeof(s));
			assert_int_equal(s.s_pid, j);
			assert_true(s.s_pc == ~(uint64_t)j);
		}
		end(dt);
	}
}

static void
samples_come_with_their_times(void **state)
{
	struct dt_tprof_sample ts;
	struct dt *dt;
	uint32_t i;

	(void)state;
	put_samples(0, 100);
	put_end(7);
	dt = begin(7);
	for (i = 0; i < 100; i++) {
		assert_int_equal(dt_tprof_next(dt, &ts, -1), 1);
		assert_int_equal(ts.ts_sample.s_pid, i);
		assert_int_equal(ts.ts_time, 1000 + i);
	}
	assert_int_equal(dt_tprof_next(dt, &ts, -1), -1);
	assert_int_equal(errno, ENODATA);
	end(dt);
}

static void
put_note(const char *text)
{
	char note[WIRE_MAXNOTE] = "";

	strcpy(note, text);
	put_block(WIRE_BLOCK_NOTE, sizeof(note));
	put(note, sizeof(note));
}

/* The note is of the finished run, for all sizes of pieces. */
static void
a_note_tells_why_a_run_has_ended(void **state)
{
	static const size_t pieces[] = { 0, 8, 100 };
	uint8_t buf[200];
	uint32_t mask = 1;
	struct dt *dt;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		put_samples(0, 4);
		put_note("why");
		put_end(1);
		out.piece = pieces[i];
		dt = begin(1);
		assert_int_equal(dt_read(dt, buf, 24, -1), 24);
		assert_null(dt_note(dt));
		assert_int_equal(dt_read(dt, buf, sizeof(buf), -1), 72);
		assert_string_equal(dt_note(dt), "why");
		assert_int_equal(dt_ioctl(dt, TPROF_IOC_START, &mask), 0);
		assert_null(dt_note(dt));
		end(dt);
	}
}

/* The session takes no samples, and so has no run. */
static void
a_note_needs_no_run(void **state)
{
	struct dt_tprof_sample ts;
	uint32_t mask = 1;
	struct dt *dt;

	(void)state;
	put_note("because");
	dt = begin(0);
	while (dt_note(dt) == NULL)
		assert_int_equal(dt_tprof_next(dt, &ts, 10), -1);
	assert_string_equal(dt_note(dt), "because");
	assert_int_equal(dt_ioctl(dt, TPROF_IOC_START, &mask), 0);
	assert_null(dt_note(dt));
	end(dt);
}

static const uint8_t filler[64];

static void
nonsense(const char *what)
{
	struct dt *dt = begin(1);
	uint8_t buf[4096];
	ssize_t n;

	do
		n = dt_read(dt, buf, sizeof(buf), -1);
	while (n > 0);
	if (n != -1 || errno != EPROTO)
		fail_msg("%s: %zd, %s", what, n, strerrorname_np(errno));
	end(dt);
}

static void
what_makes_no_sense_is_eproto(void **state)
{
	(void)state;
	put_block(WIRE_BLOCK_DATA, 31);
	put(filler, 31);
	nonsense("part of a sample");
	put_block(WIRE_BLOCK_DATA, 0xfffffff0);
	nonsense("too long");
	put_block(WIRE_BLOCK_END, 128);
	put(filler, 24);
	nonsense("the END of another device");
	put_block(WIRE_BLOCK_NOTE, WIRE_MAXNOTE + 8);
	put(filler, 24);
	nonsense("too long a note");
	put_block(WIRE_BLOCK_PASS, 0);
	nonsense("a block that tprof does not have");
}

static void
devices_are_known_by_their_names(void **state)
{
	(void)state;
	assert_string_equal(dt_device_of(NULL)->de_name, "dt");
	assert_string_equal(dt_device_of("/a/b")->de_name, "dt");
	assert_string_equal(dt_device_of("/tprof/dt")->de_name, "dt");
	assert_string_equal(dt_device_of("/a/tprof")->de_name, "tprof");
	assert_null(dt_device_named("/a/tprof"));
	assert_string_equal(dt_device_named("/dev/tprof")->de_name, "tprof");
	assert_string_equal(dt_device_named("/run/dt/dt")->de_name, "dt");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_those_of_all_samples),
		cmocka_unit_test(samples_come_with_their_times),
		cmocka_unit_test(a_note_tells_why_a_run_has_ended),
		cmocka_unit_test(a_note_needs_no_run),
		cmocka_unit_test(what_makes_no_sense_is_eproto),
		cmocka_unit_test(devices_are_known_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
