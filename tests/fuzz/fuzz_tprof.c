/* SPDX-License-Identifier: ISC */
/*
 * Fuzzes libdt's parser of a tprof stream: it returns whole samples, and never
 * more than arrived, however they are read.
 *
 * An input: a byte with the run that was started, one with the length of the
 * pieces in which the stream arrives, one with the ways of reading; then the
 * stream.
 */
#include <sys/socket.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/handle.h"

#define INPUT_HEADER 3
#define INPUT_MAX    65536 /* fits into the socket */

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
wrong(const char *what)
{
	fprintf(stderr, "fuzz_tprof: %s (errno %s)\n", what,
	    strerrorname_np(errno));
	abort();
}

/*
 * Reads what has arrived, in one of two ways each time.  Returns the bytes;
 * *over: no more can arrive.
 */
static size_t
drain(struct dt *dt, uint8_t ways, int *over)
{
	struct dt_tprof_sample ts;
	uint8_t buf[100];
	size_t sum = 0;
	ssize_t n;
	int i;

	for (i = 0;; i++) {
		errno = 0;
		if (ways >> i % 8 & 1)
			n = dt_tprof_next(dt, &ts, 0) * (int)TPROF_SAMPLE;
		else
			n = dt_tprof_read(dt, buf, 1 + ways % sizeof(buf), 0);
		if (n > 0) {
			sum += n;
			continue;
		}
		if (n < 0 && errno == 0)
			wrong("no reason");
		*over = n < 0 && errno != ETIMEDOUT && errno != ENODATA;
		return sum;
	}
}

static void
feed(struct dt *dt, int fd, const uint8_t *data, size_t len, size_t piece,
    uint8_t ways)
{
	size_t n, came = 0, got = 0;
	int over = 0;

	for (; len > 0 && !over; data += n, len -= n) {
		n = len < piece ? len : piece;
		if (send(fd, data, n, MSG_DONTWAIT | MSG_NOSIGNAL) !=
		    (ssize_t)n)
			wrong("send");
		came += n;
		got += drain(dt, ways, &over);
		if (got > came)
			wrong("more than came");
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct dt dt;
	int sv[2], over;

	if (len < INPUT_HEADER || len > INPUT_MAX)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) == -1)
		wrong("socketpair");
	memset(&dt, 0, sizeof(dt));
	dt_errtext_init(&dt.h_err);
	dt.h_stream.stm_fd = sv[0];
	dt_tprof_started(&dt.h_tprof, data[0]);
	feed(&dt, sv[1], data + INPUT_HEADER, len - INPUT_HEADER,
	    data[1] == 0 ? INPUT_MAX : data[1], data[2]);
	close(sv[1]);
	(void)drain(&dt, data[2], &over); /* must end */
	dt_tprof_free(&dt.h_tprof);
	dt_errtext_free(&dt.h_err);
	close(sv[0]);
	return 0;
}
