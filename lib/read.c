/* SPDX-License-Identifier: ISC */
/*
 * dt_read(): like read(2) on the device.  For the dt device, returns complete
 * events only.
 */
#include <errno.h>

#include "lib/device.h"
#include "lib/handle.h"
#include "lib/read.h"

ssize_t
dt_evt_read(struct dt *dt, void *buf, size_t nbytes, int timeout)
{
	struct dt_evt *evt = buf;
	struct dt_event ev;
	size_t n, max = nbytes / sizeof(*evt);
	int r;

	if (max == 0)
		return dt_fail(dt, EMSGSIZE,
		    "the buffer is smaller than an event");
	if (buf == NULL)
		return dt_fail(dt, EFAULT, "the buffer is NULL");
	for (n = 0; n < max; n++) {
		r = dt_stream_next(dt, &ev, n == 0 ? timeout : 0);
		if (r != 1)
			break;
		dt_widen(&ev, &evt[n]);
	}
	if (n > 0) {
		/* return ENODATA at the next call; other errors persist */
		if (n < max && r == -1 && errno == ENODATA)
			dt->h_stream.stm_ended = true;
		return (ssize_t)(n * sizeof(*evt));
	}
	if (r == 0) {
		errno = ETIMEDOUT;
		return -1;
	}
	return errno == ENODATA ? 0 : -1;
}

ssize_t
dt_read(struct dt *dt, void *buf, size_t nbytes, int timeout)
{
	return dt->h_device->de_read(dt, buf, nbytes, timeout);
}
