/* SPDX-License-Identifier: ISC */
/*
 * The states of a connection in which reach tries every command, and the steps
 * to each.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>

#include "tests/run/prog/reach/reach.h"
#include "tests/run/prog/state.h"

#define FILLS 4000 /* hits made at once */

uint32_t pbn_call, pbn_clock;

void
states_init(struct dt *dt)
{
	pbn_entry = prog_probe(dt, "syscall:getppid:entry");
	pbn_return = prog_probe(dt, "syscall:getppid:return");
	pbn_call = pbn_entry;
	pbn_clock = prog_probe(dt, "profile:hz:97");
}

/* Opens with an unknown mode: the connection stays. */
static void
reach_refused(struct raw *rw)
{
	const struct wire_open wo = { .wo_mode = 77 };
	uint8_t buf[64];
	size_t len = raw_message(rw, buf, WIRE_OPEN, &wo, sizeof(wo));

	if (raw_send_fds(rw, buf, len, raw_namespaces(), 2) != (ssize_t)len ||
	    raw_reply(rw) != EOPNOTSUPP)
		errx(1, "an open of mode 77 is not refused");
}

/* Sends a command without an open, so the connection is surely accepted. */
static void
reach_accepted(struct raw *rw)
{
	if (raw_call(rw, DTIOCGSTATS, NULL, 0) != EBADF)
		errx(1, "a command without an open is not EBADF");
}

struct dtioc_fullstat
fullstat(struct raw *rw)
{
	struct dtioc_fullstat fs;

	if (raw_call(rw, DTIOCGFULLSTAT, NULL, 0) != 0)
		errx(1, "no statistics");
	memcpy(&fs, rw->rw_reply, sizeof(fs));
	return fs;
}

/* Never reads, so socket and rings fill up until hits are dropped. */
static void
reach_full(struct raw *rw)
{
	const uint64_t budget = 1;
	struct dtioc_req rq = { .dtrq_pbn = pbn_entry,
		.dtrq_evtflags = 0xf | DTEVT_WHO };
	int64_t end = prog_now() + PROG_DEADLINE * INT64_C(1000000000);

	state_open(rw);
	if (raw_call(rw, DTIOCSBUDGET, &budget, sizeof(budget)) != 0 ||
	    raw_call(rw, DTIOCPRBENABLE, &rq, sizeof(rq)) != 0)
		errx(1, "no small rings");
	send_record(rw, 1);
	expect_ok(rw, "record");
	while (fullstat(rw).dtfs_dropped == 0) {
		make_hits(FILLS);
		if (prog_now() > end)
			errx(1, "the data socket does not get full");
	}
}

static void
reach_full_stopped(struct raw *rw)
{
	reach_full(rw);
	send_record(rw, 0);
	expect_ok(rw, "stop");
}

static void
read_data(struct raw *rw, void *buf, size_t n)
{
	struct pollfd pfd = { .fd = rw->rw_data, .events = POLLIN };
	size_t have;
	ssize_t r;

	for (have = 0; have < n; have += r) {
		if (poll(&pfd, 1, PROG_DEADLINE * 1000) != 1)
			errx(1, "no more data");
		r = recv(rw->rw_data, (char *)buf + have, n - have, 0);
		if (r <= 0)
			errx(1, "the data ends");
	}
}

/* Reads everything, including END. */
static void
reach_ended(struct raw *rw)
{
	static uint8_t junk[WIRE_MAXBLOCK];
	struct wire_block wb;

	state_stopped(rw);
	do {
		read_data(rw, &wb, sizeof(wb));
		if (wb.wb_nbytes > sizeof(junk))
			errx(1, "a block of %u bytes", wb.wb_nbytes);
		read_data(rw, junk, wb.wb_nbytes);
	} while (wb.wb_kind != WIRE_BLOCK_END);
}

static size_t
ahead_enable(struct raw *rw, uint8_t *buf)
{
	const struct dtioc_req rq = { .dtrq_pbn = pbn_entry };

	return raw_message(rw, buf, DTIOCPRBENABLE, &rq, sizeof(rq));
}

static size_t
ahead_record(struct raw *rw, uint8_t *buf)
{
	const int on = 1;

	return raw_message(rw, buf, DTIOCRECORD, &on, sizeof(on));
}

static size_t
ahead_stop(struct raw *rw, uint8_t *buf)
{
	const int on = 0;

	return raw_message(rw, buf, DTIOCRECORD, &on, sizeof(on));
}

const struct rstate rstates[NRSTATES] = {
	{ "fresh", state_connected, NULL, NO_OPEN },
	{ "refused", reach_refused, NULL, NO_OPEN },
	{ "open", state_open, NULL, 0 },
	{ "enabled", state_enabled, NULL, 0 },
	{ "recording", state_recording, NULL, 0 },
	{ "full", reach_full, NULL, 0 },
	{ "unread", reach_full_stopped, NULL, 0 },
	{ "ended", reach_ended, NULL, 0 },
	{ "enabling", state_open, ahead_enable, 0 },
	{ "starting", state_enabled, ahead_record, 0 },
	{ "stopping", state_recording, ahead_stop, 0 },
	{ "shut", state_enabled, NULL, SHUT_OUT },
	{ "closed", state_recording, NULL, CLOSE_OUT },
	{ "nofile", reach_accepted, NULL, NO_OPEN | STARVED },
	{ "nofile2", state_enabled, NULL, STARVED },
};
