/* SPDX-License-Identifier: ISC */
/*
 * dt_sums_open() and dt_sums_read(), against a peer that plays the daemon: late
 * replies, entries that are longer than ours, and invalid replies.
 */
#include "tests/unit/test_libdt_peer.h"

/* Replies with n entries of this size, whose values are their index. */
static void
sums_answer(int fd, uint64_t tag, uint32_t count, uint32_t entsize, ssize_t cut)
{
	static uint8_t buf[1 << 16];
	struct wire_sums wu = { tag, count, entsize };
	struct dtioc_sum s = { .dtsm_pad = 0 };
	size_t len = sizeof(wu);
	uint32_t i;

	memset(buf, 0xee, sizeof(buf));
	memcpy(buf, &wu, sizeof(wu));
	/* unterminated, which libdt must detect */
	memset(s.dtsm_device, 'd', sizeof(s.dtsm_device));
	memset(s.dtsm_name, 'n', sizeof(s.dtsm_name));
	for (i = 0; i < count; i++, len += entsize) {
		s.dtsm_what = i;
		s.dtsm_value = i * 10;
		memcpy(buf + len, &s,
		    entsize < sizeof(s) ? entsize : sizeof(s));
	}
	PEER_ASSERT(send(fd, buf, len - cut, MSG_NOSIGNAL) != -1);
}

static uint64_t
sums_question(int fd)
{
	uint64_t tag;

	PEER_ASSERT(recv(fd, &tag, sizeof(tag), 0) == sizeof(tag));
	return tag;
}

/* Sends the socket; returns the daemon's end. */
static int
sums_give(struct peer *pe)
{
	struct wire_hdr hdr;
	int sp[2];

	peer_hello(pe);
	peer_welcome(pe);
	PEER_ASSERT(peer_get(pe));
	PEER_ASSERT(pe->pe_hdr.wh_command == (uint32_t)DTIOCGSUMS);
	PEER_ASSERT(pe->pe_hdr.wh_length == 0);
	hdr = pe->pe_hdr;
	PEER_ASSERT(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sp) == 0);
	peer_sendfd(pe, &hdr, sizeof(hdr), sp[1], 1);
	close(sp[1]);
	return sp[0];
}

static void
script_honest(struct peer *pe)
{
	const uint32_t size = sizeof(struct dtioc_sum);
	int fd = sums_give(pe);
	uint64_t tag;

	sums_answer(fd, sums_question(fd), 3, size, 0);
	/* a later daemon */
	sums_answer(fd, sums_question(fd), 2, size + 24, 0);
	/* more than fit */
	sums_answer(fd, sums_question(fd), 5, size, 0);
	/* no reply in time, then the late one and the next */
	tag = sums_question(fd);
	sums_answer(fd, sums_question(fd) - 1, 7, size, 0);
	sums_answer(fd, tag + 1, 1, size, 0);
	close(fd);
}

static void
sums_are_read(void **state)
{
	struct peer *pe = peer_start(script_honest);
	struct dt *dt = peer_open(pe, 0);
	struct dtioc_sum list[4];

	(void)state;
	assert_int_equal(dt_sums_read(dt, list, 4, 1000), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(dt_sums_open(dt), 0);
	assert_int_equal(dt_ioctl(dt, DTIOCGSUMS, NULL), 0); /* no request */
	assert_int_equal(dt_sums_read(dt, list, 4, 30000), 3);
	assert_int_equal(list[2].dtsm_what, 2);
	assert_int_equal(list[2].dtsm_value, 20);
	assert_int_equal(strlen(list[0].dtsm_device), 15);
	assert_int_equal(strlen(list[0].dtsm_name), 39);
	assert_int_equal(dt_sums_read(dt, list, 4, 30000), 2);
	assert_int_equal(list[1].dtsm_what, 1);
	assert_int_equal(list[1].dtsm_value, 10);
	assert_int_equal(dt_sums_read(dt, list, 4, 30000), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(list[3].dtsm_what, 3);
	assert_int_equal(dt_sums_read(dt, list, 4, 20), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_int_equal(dt_sums_read(dt, list, 4, 30000), 1);
	peer_join(pe);
	assert_int_equal(dt_sums_read(dt, list, 4, 30000), -1);
	assert_int_equal(errno, EPIPE);
	dt_close(dt);
	peer_free(pe);
}

/* Entries that are too short, too many, cut off, and half a header. */
static void
script_lies(struct peer *pe)
{
	const uint32_t size = sizeof(struct dtioc_sum);
	int fd = sums_give(pe);

	sums_answer(fd, sums_question(fd), 2, size - 8, 0);
	sums_answer(fd, sums_question(fd), 2, size, 1);
	sums_answer(fd, sums_question(fd), 2, size, -8);
	sums_answer(fd, sums_question(fd), 0, size, 8);
	close(fd);
}

static void
sums_that_lie_are_eproto(void **state)
{
	struct peer *pe = peer_start(script_lies);
	struct dt *dt = peer_open(pe, 0);
	struct dtioc_sum list[4];
	int i;

	(void)state;
	assert_int_equal(dt_sums_open(dt), 0);
	for (i = 0; i < 4; i++) {
		assert_int_equal(dt_sums_read(dt, list, 4, 30000), -1);
		assert_int_equal(errno, EPROTO);
	}
	dt_close(dt);
	peer_stop(pe);
}

/* A reply without a descriptor, then a refusal. */
static void
script_gives_none(struct peer *pe)
{
	peer_hello(pe);
	peer_welcome(pe);
	PEER_ASSERT(peer_get(pe));
	peer_reply(pe, 0, NULL, 0);
	PEER_ASSERT(peer_get(pe));
	peer_reply(pe, EPERM, "no", 2);
}

static void
no_descriptor_is_eproto(void **state)
{
	struct peer *pe = peer_start(script_gives_none);
	struct dt *dt = peer_open(pe, 0);

	(void)state;
	assert_int_equal(dt_sums_open(dt), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(dt_sums_open(dt), -1);
	assert_int_equal(errno, EPERM);
	dt_close(dt);
	peer_stop(pe);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_read),
		cmocka_unit_test(sums_that_lie_are_eproto),
		cmocka_unit_test(no_descriptor_is_eproto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
