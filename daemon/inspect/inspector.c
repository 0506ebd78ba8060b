/* SPDX-License-Identifier: ISC */
/* The main loop of an inspector. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/clock.h"
#include "daemon/base/fdmsg.h"
#include "daemon/inspect/inspector.h"
#include "daemon/inspect/proccred.h"

static inspect_fn *const inspect_ops[INSPECT_NOPS] = {
	[INSPECT_CLIENT] = inspect_client,
	[INSPECT_PROC] = inspect_proc,
	[INSPECT_FIND] = inspect_find,
	[INSPECT_STAT] = inspect_stat_op,
	[INSPECT_SERVED] = inspect_served_op,
	[INSPECT_OPEN] = inspect_open_op,
	[INSPECT_JITMAP] = inspect_jitmap,
	[INSPECT_READ] = inspect_read,
	[INSPECT_DEBUG] = inspect_debug,
	[INSPECT_STACKS] = inspect_stacks,
};

static int schedstat_fd; /* -1: this kernel has none */

/*
 * Returns for how long this process has waited so far, in ms, except for a CPU,
 * since no user is to blame for a busy machine.  Only differences are
 * meaningful.
 */
static int64_t
waited_msecs(void)
{
	unsigned long long onqueue = 0, ran = 0;
	char text[128];
	ssize_t n = pread(schedstat_fd, text, sizeof(text) - 1, 0);

	if (n > 0) {
		text[n] = '\0';
		(void)sscanf(text, "%llu %llu", &ran, &onqueue);
	}
	return clock_msecs() - (int64_t)((ran + onqueue) / 1000000);
}

static int
reply_send(int sock, const struct inspect_reply *ir, const void *payload,
    size_t len, const int *fds, unsigned int nfds)
{
	struct iovec iov[2] = { { (void *)ir, sizeof(*ir) },
		{ (void *)payload, len } };

	return fdmsg_send(sock, iov, 2, fds, nfds);
}

int
inspect_piece(const struct inspect_call *ic, const void *piece, size_t len)
{
	struct inspect_reply ir = { .ir_serial = ic->icc_serial,
		.ir_kind = INSPECT_PIECE };

	return reply_send(ic->icc_sock, &ir, piece, len, NULL, 0);
}

/*
 * Returns how long the operation has waited since the last BEGUN.  Short times
 * count as 0, since measuring costs as much as inspecting a process.
 */
static uint32_t
call_waited(struct inspect_call *ic)
{
	int64_t clock = clock_msecs(), passed = clock - ic->icc_begun, now,
		msecs;

	ic->icc_begun = clock;
	if (passed < INSPECT_QUICK / 5)
		return 0;
	now = waited_msecs();
	msecs = now - ic->icc_since;
	ic->icc_since = now;
	if (msecs > passed)
		msecs = passed;
	/* the kernel's count of CPU time may be a tick late */
	return msecs > 0 ? msecs : 0;
}

/* Announces the process before any operation that may block. */
static int
begin(struct inspect_call *ic, uid_t uid, uint32_t key, const void *piece,
    size_t len)
{
	const struct inspect_request *iq = ic->icc_request;
	struct inspect_reply ir = { .ir_serial = ic->icc_serial,
		.ir_kind = INSPECT_BEGUN,
		.ir_uid = uid,
		.ir_key = key };
	uint32_t i;

	for (i = 0; i < iq->iq_nbarred; i++)
		if (iq->iq_barred[i] == uid)
			return EBUSY;
	ir.ir_msecs = call_waited(ic);
	return reply_send(ic->icc_sock, &ir, piece, len, NULL, 0);
}

/* A process's status never waits. */
static int
begin_process(struct inspect_call *ic)
{
	struct proccred pc;
	char who[16];
	int error;

	if (ic->icc_pid == 0)
		return 0;
	snprintf(who, sizeof(who), "%d", (int)ic->icc_pid);
	if ((error = proccred_read(who, &pc)) != 0)
		return error;
	return begin(ic, pc.pc_uid, 0, NULL, 0);
}

int
inspect_next(struct inspect_call *ic, pid_t pid, uid_t uid, const void *piece,
    size_t len)
{
	return begin(ic, uid, pid, piece, len);
}

static void
close_all(int *fds, unsigned int n)
{
	while (n > 0)
		close(fds[--n]);
}

/* Replies before it closes descriptors for reading, whose close may block. */
static int
call_run(struct inspect_call *ic, const struct inspect_request *iq)
{
	struct inspect_reply ir = { .ir_serial = ic->icc_serial,
		.ir_kind = INSPECT_DONE };
	int error;

	ic->icc_request = iq;
	ic->icc_since = waited_msecs();
	ic->icc_begun = clock_msecs();
	if (iq->iq_op >= INSPECT_NOPS || iq->iq_nbarred > INSPECT_NBARRED)
		ir.ir_error = EINVAL;
	else if ((ir.ir_error = begin_process(ic)) == 0)
		ir.ir_error = inspect_ops[iq->iq_op](ic);
	ir.ir_msecs = call_waited(ic);
	error = reply_send(ic->icc_sock, &ir, ic->icc_out, ic->icc_outlen,
	    ic->icc_outfds, ic->icc_noutfds);
	close_all(ic->icc_outfds, ic->icc_noutfds);
	close_all(ic->icc_fds, ic->icc_nfds);
	return error;
}

void
inspect_serve(int sock)
{
	static struct {
		struct inspect_request iq;
		_Alignas(8) uint8_t payload[INSPECT_MAXMSG + 1];
	} in;
	static _Alignas(8) uint8_t out[INSPECT_MAXMSG];
	struct inspect_call ic;
	ssize_t n;

	schedstat_fd = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	for (;;) {
		ic = (struct inspect_call){ .icc_sock = sock, .icc_out = out };
		n = fdmsg_recv(sock, &in, sizeof(in) - 1, 0, ic.icc_fds,
		    INSPECT_MAXFDS, &ic.icc_nfds);
		if (n < (ssize_t)sizeof(in.iq))
			_exit(0);
		ic.icc_serial = in.iq.iq_serial;
		ic.icc_pid = in.iq.iq_pid;
		ic.icc_in = in.payload;
		ic.icc_inlen = n - sizeof(in.iq);
		in.payload[ic.icc_inlen] = '\0';
		if (call_run(&ic, &in.iq) != 0)
			_exit(0);
	}
}
