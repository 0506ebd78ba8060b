/* SPDX-License-Identifier: ISC */
/* dt top -b: prints all rows of each interval as text. */
#include <unistd.h>

#include "cli/base/sigs.h"
#include "cli/top/top_layout.h"
#include "common/clock.h"

static void
batch_print(struct top_run *tp, struct buf *b, unsigned int width, int isfirst)
{
	unsigned int i;
	size_t row;

	top_details(tp, 0, tp->top_n);
	if (!isfirst)
		buf_c(b, '\n');
	for (i = 0; i < TOP_NHEAD; i++) {
		if (i == 2) /* the keys of the views */
			continue;
		top_layout_head(b, tp, i, width);
		buf_c(b, '\n');
	}
	for (row = 0; row < tp->top_n; row++) {
		top_layout_row(b, tp, &tp->top_rows[row], width);
		buf_c(b, '\n');
	}
	buf_flush(b);
}

void
top_batch(struct top_run *tp, uint64_t n)
{
	const unsigned int width = 4096;
	struct pollfd pfd = { .fd = STDOUT_FILENO };
	uint64_t done = 0, now, due;
	struct buf b;
	int signo, byprocess;

	buf_init(&b, STDOUT_FILENO);
	top_open(tp);
	sigs_init(1);
	due = clock_monotonic() + tp->top_nsecs;
	while (done != n || n == 0) {
		while ((now = clock_monotonic()) < due &&
		    sigs_count(&signo, &byprocess) == 0 && pfd.revents == 0)
			sigs_poll(&pfd, 1, due - now);
		if (sigs_count(&signo, &byprocess) > 0 || pfd.revents != 0)
			break;
		due += tp->top_nsecs;
		top_read(tp);
		batch_print(tp, &b, width, done++ == 0);
		if (b.b_error != 0)
			break;
	}
	top_close(tp);
	buf_free(&b);
}
