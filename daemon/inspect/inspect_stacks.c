/* SPDX-License-Identifier: ISC */
/*
 * Reads stacks from /proc/PID/mem in an inspector.  open(2) waits while the
 * process executes a program, read(2) while a thread has locked its mappings.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/inspect/inspect_stacks.h"
#include "daemon/inspect/inspector.h"

#define STACK_PAGE 4096

/* A piece in the making. */
struct stack_piece {
	struct inspect_stack_piece isp;
	uint8_t bytes[INSPECT_STACK_MAX];
};

_Static_assert(sizeof(struct stack_piece) + sizeof(struct inspect_reply) <=
	INSPECT_MAXMSG,
    "a stack fits into a message");

/*
 * Reads one stack.  The first bytes, below the stack pointer, may be in a page
 * that does not exist yet.
 */
static size_t
stack_read(int fd, const struct inspect_stack *isk, struct stack_piece *sp)
{
	uint64_t from = isk->isk_from, n = isk->isk_until - from;
	ssize_t got;

	got = pread(fd, sp->bytes, n, (off_t)from);
	if (got <= 0) {
		from = (from | (STACK_PAGE - 1)) + 1;
		if (from >= isk->isk_until)
			return 0;
		got = pread(fd, sp->bytes, isk->isk_until - from, (off_t)from);
	}
	sp->isp.isp_from = from;
	sp->isp.isp_nbytes = got > 0
	    ? got / INSPECT_STACK_UNIT * INSPECT_STACK_UNIT
	    : 0;
	return sp->isp.isp_nbytes;
}

int
inspect_stacks(struct inspect_call *ic)
{
	static struct stack_piece sp;
	const struct inspect_stacks_request *isr = ic->icc_in;
	const struct inspect_stack *isk;
	char path[64];
	size_t n;
	int fd, error = 0;

	if (ic->icc_inlen != sizeof(*isr) || isr->isr_n > INSPECT_NSTACKS)
		return EINVAL;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)ic->icc_pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno == ENOENT ? ESRCH : errno;
	for (uint32_t i = 0; i < isr->isr_n && error == 0; i++) {
		isk = &isr->isr_stacks[i];
		if (isk->isk_until <= isk->isk_from ||
		    isk->isk_until - isk->isk_from > INSPECT_STACK_MAX)
			continue;
		sp.isp.isp_index = i;
		if ((n = stack_read(fd, isk, &sp)) > 0)
			error = inspect_piece(ic, &sp, sizeof(sp.isp) + n);
	}
	close(fd);
	return error;
}

/*
 * dtd's side
 */

struct stacks_query {
	void (*stq_fn)(void *, const struct inspect_stack_piece *,
	    const uint8_t *);
	void *stq_arg;
	uint32_t stq_n;
};

static void
stacks_piece(void *arg, const void *piece, size_t len)
{
	const struct inspect_stack_piece *isp = piece;
	const struct stacks_query *stq = arg;

	if (len >= sizeof(*isp) && isp->isp_index < stq->stq_n &&
	    isp->isp_nbytes == len - sizeof(*isp))
		stq->stq_fn(stq->stq_arg, isp, (const uint8_t *)(isp + 1));
}

int
inspect_stacks_request(pid_t pid, const struct inspect_stacks_request *isr,
    void (*fn)(void *, const struct inspect_stack_piece *, const uint8_t *),
    void *arg)
{
	struct stacks_query stq = { fn, arg, isr->isr_n };
	struct inspect_query ia = { .ia_op = INSPECT_STACKS,
		.ia_pid = pid,
		.ia_in = isr,
		.ia_inlen = sizeof(*isr),
		.ia_piece = stacks_piece,
		.ia_arg = &stq };

	return inspect(&ia);
}
