/* SPDX-License-Identifier: ISC */
/*
 * dt top -b: prints all rows of each interval as text, or for the dt on another
 * machine that shows them.
 */
#include <unistd.h>

#include "cli/base/sigs.h"
#include "cli/top/top_hosts.h"
#include "cli/top/top_layout.h"
#include "cli/top/top_wire.h"
#include "common/clock.h"

#define BATCH_WIDTH 4096

static void
batch_print(struct top_run *tp, struct buf *b, int isfirst)
{
	unsigned int i, keys, nhead = top_layout_nhead(tp, &keys);
	size_t row;

	top_details(tp, 0, tp->top_n);
	if (!isfirst)
		buf_c(b, '\n');
	for (i = 0; i < nhead; i++) {
		if (i == keys)
			continue;
		top_layout_head(b, tp, i, BATCH_WIDTH);
		buf_c(b, '\n');
	}
	for (row = 0; row < tp->top_n; row++) {
		top_layout_row(b, tp, &tp->top_rows[row], BATCH_WIDTH);
		buf_c(b, '\n');
	}
}

/* Waits until the time is due; returns 0 if that was the last one. */
static int
batch_wait(uint64_t due)
{
	struct pollfd pfd = { .fd = STDOUT_FILENO };
	uint64_t now;
	int signo, byprocess;

	while (pfd.revents == 0 && sigs_count(&signo, &byprocess) == 0) {
		if ((now = clock_monotonic()) >= due)
			return 1;
		sigs_poll(&pfd, 1, due - now);
	}
	return 0;
}

/* The same for all machines, which have their own clocks. */
static int
batch_wait_hosts(struct top_run *tp)
{
	struct pollfd pfd = { .fd = STDOUT_FILENO };
	int signo, byprocess;

	while (pfd.revents == 0 && sigs_count(&signo, &byprocess) == 0) {
		if (top_hosts_arecomplete(tp))
			return !top_hosts_areover(tp);
		top_hosts_poll(tp, &pfd, tp->top_nsecs);
	}
	return 0;
}

void
top_batch(struct top_run *tp, uint64_t n)
{
	const struct opts_print *op = &tp->top_opts->o_print;
	uint64_t done = 0, due;
	struct buf b;

	buf_init(&b, op->opi_fd != 0 ? op->opi_fd : STDOUT_FILENO);
	tp->top_nlines = -1;
	top_open(tp);
	sigs_init(1);
	due = clock_monotonic() + tp->top_nsecs;
	while (done != n || n == 0) {
		if (!(tp->top_hosts != NULL ? batch_wait_hosts(tp)
					    : batch_wait(due)))
			break;
		due += tp->top_nsecs;
		top_read(tp);
		if (op->opi_wire != OPTS_NOWIRE)
			top_wire_print(&b, tp);
		else
			batch_print(tp, &b, done == 0);
		done++;
		if (buf_flush(&b) == -1)
			break;
	}
	tp->top_error = b.b_error;
	buf_free(&b);
}
