/* SPDX-License-Identifier: ISC */
/* Prints the losses during a recording, as counted by the daemon. */
#include <unistd.h>

#include "cli/session/losses.h"

#define LOSING_QUERY 500000000	/* ns between two queries */
#define LOSING_PRINT 5000000000 /* ns between two lines */

uint64_t
losses_due(const struct losses *lo)
{
	return lo->lo_queried + LOSING_QUERY;
}

void
losses_text(struct losses *lo, struct buf *b, const struct dtioc_stat *st,
    uint64_t now)
{
	uint64_t lost = st->dtst_dropevt + st->dtst_recurevt;

	if (lost <= lo->lo_lost ||
	    (lo->lo_printed != 0 && now < lo->lo_printed + LOSING_PRINT))
		return;
	buf_printf(b,
	    "dt: losing events: %llu so far (%.1f %%); a larger buffer "
	    "(--buffer, --buffer-max), fewer probes or a filter helps\n",
	    (unsigned long long)lost, 100.0 * lost / (lost + st->dtst_readevt));
	lo->lo_printed = now;
	lo->lo_lost = lost;
}

void
losses_check(struct losses *lo, struct dt *dt, uint64_t now)
{
	struct dtioc_stat st;
	struct buf b;

	if (now < losses_due(lo))
		return;
	lo->lo_queried = now;
	/* dt_next() will report that the daemon has exited */
	if (dt_ioctl(dt, DTIOCGSTATS, &st) == -1)
		return;
	buf_init(&b, STDERR_FILENO);
	losses_text(lo, &b, &st, now);
	buf_flush(&b);
	buf_free(&b);
}
