/* SPDX-License-Identifier: ISC */
/*
 * Requests to dt-exporter: its HTTP server, in this process, with the paths of
 * both programs.  Each request gets one reply or none, with a known status, and
 * then the connection ends.  dtd does not run; profiles are made by a program
 * that does nothing.
 *
 * The first byte of the input is the length of the pieces in which the rest is
 * sent.  The client then ends its side, because a server that waits for a
 * request takes seconds.
 */
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exporter/dtd_link.h"
#include "exporter/http.h"
#include "exporter/metrics.h"
#include "exporter/pprof.h"

#define INPUT_MAX 65536
#define DEADLINE  20 /* s; a request must be complete in 15 */

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const struct http_path paths[] = {
	{ "/metrics", metrics_page },
	{ "/debug/pprof/profile", pprof_page },
	{ NULL, NULL },
};

/* Statuses of our server, and of libmicrohttpd. */
static const unsigned int statuses[] = { 200, 400, 403, 404, 405, 408, 411, 413,
	414, 417, 431, 500, 501, 503, 505 };

static struct sockaddr_un addr = { .sun_family = AF_UNIX };
static socklen_t addrlen;

/* Symbols of the exporter's dtd_link.c. */
int
dtd_link_read(struct dtioc_sum *list, size_t n, char *release, size_t size)
{
	(void)list;
	(void)n;
	(void)release;
	(void)size;
	return -1;
}

static void
wrong(const char *what)
{
	fprintf(stderr, "fuzz_http: %s (errno %s)\n", what,
	    strerrorname_np(errno));
	abort();
}

static void
start(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	http_init(NULL);
	pprof_start("/bin/true", NULL);
	addrlen = sizeof(sa_family_t); /* the kernel chooses a name */
	if (fd == -1 || bind(fd, (struct sockaddr *)&addr, addrlen) == -1)
		wrong("socket");
	addrlen = sizeof(addr);
	if (getsockname(fd, (struct sockaddr *)&addr, &addrlen) == -1 ||
	    listen(fd, 16) == -1)
		wrong("socket");
	http_serve(fd, paths, 16, 0);
}

static int
client_connect(void)
{
	const struct timeval limit = { .tv_sec = DEADLINE };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd == -1 || connect(fd, (struct sockaddr *)&addr, addrlen) == -1 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ==
		-1 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ==
		-1)
		wrong("connect");
	return fd;
}

/* The server may close before everything is sent. */
static void
client_send(int fd, const uint8_t *data, size_t len, size_t piece)
{
	size_t n;

	for (; len > 0; data += n, len -= n) {
		n = len < piece ? len : piece;
		if (send(fd, data, n, MSG_NOSIGNAL) != (ssize_t)n) {
			if (errno != EPIPE && errno != ECONNRESET)
				wrong("it takes nothing");
			return;
		}
	}
}

static void
check_reply(const char *reply)
{
	unsigned int status, i;

	if (sscanf(reply, "HTTP/1.%*1[01] %3u ", &status) != 1)
		wrong("no reply of HTTP");
	for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (status == statuses[i])
			return;
	fprintf(stderr, "fuzz_http: status %u\n", status);
	abort();
}

static void
client_read(int fd)
{
	char reply[256], more[4096];
	size_t have = 0;
	ssize_t n;

	for (;;) {
		n = recv(fd, more, sizeof(more), 0);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1 && errno == ECONNRESET)
			break; /* the server has not read everything */
		if (n == -1)
			wrong("no end");
		if (n == 0)
			break;
		if ((size_t)n > sizeof(reply) - 1 - have)
			n = sizeof(reply) - 1 - have;
		memcpy(reply + have, more, n);
		have += n;
	}
	reply[have] = '\0';
	if (have > 0)
		check_reply(reply);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint8_t end[] = "\r\n\r\n";
	static int started;
	int fd;

	if (len == 0 || len > INPUT_MAX)
		return 0;
	if (!started++)
		start();
	fd = client_connect();
	client_send(fd, data + 1, len - 1, data[0] == 0 ? INPUT_MAX : data[0]);
	client_send(fd, end, sizeof(end) - 1, sizeof(end));
	client_read(fd);
	close(fd);
	return 0;
}
