/* SPDX-License-Identifier: ISC */
/*
 * Requests at dtd's socket of sums: the daemon itself, all but main.c and
 * server.c.  A request of 8 bytes gets one reply with its number; any other
 * request ends the connection.
 *
 * The input: messages, each after a byte with its length.
 *
 * Links with $(filter-out %/main.o %/server.o,$(call obj,$(daemon_src))).
 */
#include <sys/socket.h>
#include <sys/time.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/device/session_sums.h"
#include "wire/wire.h"

#define MESSAGES 4 /* each reply is followed by a pause */
#define DEADLINE 20

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
wrong(const char *what)
{
	fprintf(stderr, "fuzz_asksums: %s (errno %s)\n", what,
	    strerrorname_np(errno));
	abort();
}

/* Symbols of the daemon's main.c. */
void
dev_opened(void)
{
}

void
dev_closed(void)
{
}

/* A thread of the previous input may still be exiting. */
static int
ask_open(void)
{
	const struct timeval limit = { .tv_sec = DEADLINE };
	int fd, own, error, i;

	for (i = 0; (error = sums_open(&fd, &own)) == EMFILE; i++) {
		if (i == 1000 * DEADLINE)
			wrong("threads are left");
		usleep(1000);
	}
	if (error != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ==
		-1)
		wrong("sums_open");
	close(own);
	return fd;
}

static void
expect_answer(int fd, uint64_t tag)
{
	static uint8_t buf[1 << 16];
	struct wire_sums wu;
	ssize_t n = recv(fd, buf, sizeof(buf), MSG_TRUNC);

	if (n < (ssize_t)sizeof(wu) || n > (ssize_t)sizeof(buf))
		wrong("no answer");
	memcpy(&wu, buf, sizeof(wu));
	if (wu.wu_tag != tag || wu.wu_entsize != sizeof(struct dtioc_sum) ||
	    n != (ssize_t)(sizeof(wu) + wu.wu_count * wu.wu_entsize))
		wrong("an answer that makes no sense");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = ask_open(), i;
	uint64_t tag;
	char c;
	size_t n;

	for (i = 0; i < MESSAGES && len > 0; i++) {
		n = data[0] < len - 1 ? data[0] : len - 1;
		if (send(fd, data + 1, n, MSG_NOSIGNAL) == -1)
			wrong("send");
		if (n != sizeof(tag)) {
			if (recv(fd, &c, 1, 0) != 0)
				wrong("no end");
			break;
		}
		memcpy(&tag, data + 1, sizeof(tag));
		expect_answer(fd, tag);
		data += 1 + n;
		len -= 1 + n;
	}
	close(fd);
	return 0;
}
