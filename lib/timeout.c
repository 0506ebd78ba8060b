/* SPDX-License-Identifier: ISC */
/*
 * Time limits.  The clock is read only when a caller must wait, so available
 * data costs nothing extra.
 */
#include <stddef.h>

#include "common/clock.h"
#include "lib/timeout.h"

int
dt_timeout_left(struct dt_timeout *to)
{
	int64_t left, now;

	if (to->to_msecs <= 0)
		return to->to_msecs < 0 ? -1 : 0;
	now = clock_msecs();
	if (!to->to_started) {
		/* rounds up, since the current ms has begun */
		to->to_end = now + to->to_msecs + 1;
		to->to_started = true;
		return to->to_msecs;
	}
	left = to->to_end - now;
	if (left <= 0)
		return 0;
	return left > to->to_msecs ? to->to_msecs : (int)left;
}

int
dt_timeout_poll(struct dt_timeout *to, struct pollfd *pfd)
{
	return poll(pfd, 1, dt_timeout_left(to));
}
