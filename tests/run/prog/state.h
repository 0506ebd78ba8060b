/* SPDX-License-Identifier: ISC */
/*
 * The states that a connection can be in, each with its steps; a state may be
 * any that a client can leave unfinished.
 */
#ifndef STATE_H
#define STATE_H

#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tests/run/prog/raw.h"

#define STATE_BUDGET (1UL << 20) /* bytes of rings */

static uint32_t pbn_entry, pbn_return; /* of getppid(2); the includer's */

static void
send_message(struct raw *rw, uint32_t command, const void *payload, size_t len)
{
	uint8_t buf[WIRE_MAXMSG];

	len = raw_message(rw, buf, command, payload, len);
	(void)raw_send(rw, buf, len);
}

static void
expect_ok(struct raw *rw, const char *what)
{
	int error = raw_reply(rw);

	if (error != 0)
		errx(1, "%s: %s", what,
		    error == -1 ? "the daemon hung up" : strerror(error));
}

static void
send_enable(struct raw *rw, uint32_t pbn)
{
	const struct dtioc_req rq = { .dtrq_pbn = pbn };

	send_message(rw, DTIOCPRBENABLE, &rq, sizeof(rq));
}

static void
send_record(struct raw *rw, int on)
{
	send_message(rw, DTIOCRECORD, &on, sizeof(on));
}

/* Hits of this process, which is a client, are recorded with DTIOCSELF only. */
static void
make_hits(int n)
{
	while (n-- > 0)
		(void)syscall(SYS_getppid);
}

static void
state_connected(struct raw *rw)
{
	(void)rw;
}

static void
state_half_header(struct raw *rw)
{
	const struct wire_hdr h = { .wh_version = WIRE_VERSION,
		.wh_command = WIRE_OPEN };

	(void)raw_send_fds(rw, &h, sizeof(h) / 2, raw_namespaces(), 2);
}

static void
state_header(struct raw *rw)
{
	const struct wire_hdr h = { .wh_version = WIRE_VERSION,
		.wh_command = DTIOCLOOKUP,
		.wh_length = 64 };

	(void)raw_send(rw, &h, sizeof(h));
}

static void
state_half_payload(struct raw *rw)
{
	state_header(rw);
	(void)raw_send(rw, "0123456789", 10);
}

static void
state_opening(struct raw *rw)
{
	raw_send_open(rw);
}

static void
state_open(struct raw *rw)
{
	const int self = 1;
	const uint64_t budget = STATE_BUDGET;

	raw_send_open(rw);
	expect_ok(rw, "open");
	send_message(rw, DTIOCSELF, &self, sizeof(self));
	expect_ok(rw, "self");
	send_message(rw, DTIOCSBUDGET, &budget, sizeof(budget));
	expect_ok(rw, "budget");
}

static void
state_half_ioctl(struct raw *rw)
{
	state_open(rw);
	state_half_payload(rw);
}

static void
state_enabling(struct raw *rw)
{
	state_open(rw);
	send_enable(rw, pbn_entry);
}

static void
state_enabled(struct raw *rw)
{
	state_enabling(rw);
	expect_ok(rw, "enable");
	send_enable(rw, pbn_return);
	expect_ok(rw, "enable");
}

static void
state_starting(struct raw *rw)
{
	state_enabled(rw);
	send_record(rw, 1);
}

static void
state_recording(struct raw *rw)
{
	state_starting(rw);
	expect_ok(rw, "record");
}

static void
state_unread(struct raw *rw)
{
	state_recording(rw);
	make_hits(20000);
}

static void
state_disabling(struct raw *rw)
{
	const struct dtioc_req rq = { .dtrq_pbn = pbn_entry };

	state_recording(rw);
	send_message(rw, DTIOCPRBDISABLE, &rq, sizeof(rq));
}

static void
state_stopping(struct raw *rw)
{
	state_recording(rw);
	make_hits(1000);
	send_record(rw, 0);
}

static void
state_stopped(struct raw *rw)
{
	state_stopping(rw);
	expect_ok(rw, "stop");
}

/* Sends several commands at once and never reads the replies. */
static void
state_pipelined(struct raw *rw)
{
	state_enabled(rw);
	send_record(rw, 1);
	send_record(rw, 0);
	send_record(rw, 1);
	send_enable(rw, pbn_entry);
	send_record(rw, 0);
}

/* Requests long replies, until both sides' sockets are full. */
static void
state_stuffed(struct raw *rw)
{
	const struct wire_page wg = { 0, 10000 };
	uint8_t buf[64];
	size_t len;

	raw_send_open(rw);
	expect_ok(rw, "open");
	do
		len = raw_message(rw, buf, DTIOCGPLIST, &wg, sizeof(wg));
	while (raw_send(rw, buf, len) == (ssize_t)len);
}

/* Closes the data socket alone. */
static void
state_half_closed(struct raw *rw)
{
	state_recording(rw);
	close(rw->rw_data);
	rw->rw_data = -1;
	make_hits(1000);
}

/* Shuts down reading on both sockets, and stays connected. */
static void
state_shut(struct raw *rw)
{
	state_recording(rw);
	shutdown(rw->rw_data, SHUT_RD);
	shutdown(rw->rw_sock, SHUT_RD);
	make_hits(1000);
}

/* The data socket outlives the control socket. */
static void
state_orphan(struct raw *rw)
{
	state_unread(rw);
	close(rw->rw_sock);
	rw->rw_sock = -1;
}

static const struct state {
	const char *st_name;
	void (*st_reach)(struct raw *);
} states[] = {
	{ "connected", state_connected },
	{ "half a header", state_half_header },
	{ "header", state_header },
	{ "half a payload", state_half_payload },
	{ "opening", state_opening },
	{ "open", state_open },
	{ "half an ioctl", state_half_ioctl },
	{ "enabling", state_enabling },
	{ "enabled", state_enabled },
	{ "starting", state_starting },
	{ "recording", state_recording },
	{ "unread data", state_unread },
	{ "disabling", state_disabling },
	{ "stopping", state_stopping },
	{ "stopped", state_stopped },
	{ "pipelined", state_pipelined },
	{ "stuffed", state_stuffed },
	{ "half closed", state_half_closed },
	{ "shut", state_shut },
	{ "orphan", state_orphan },
};

#define NSTATES (sizeof(states) / sizeof(states[0]))

#endif /* STATE_H */
