/* SPDX-License-Identifier: ISC */
/* The listening sockets of dt-exporter. */
#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "exporter/http.h"

#define LISTEN_QUEUE 16

/* Returns whether only this machine can reach an address. */
static int
is_local(const struct sockaddr *sa)
{
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)sa;
	const struct sockaddr_in *sin = (const struct sockaddr_in *)sa;

	if (sa->sa_family == AF_INET)
		return ntohl(sin->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return sa->sa_family == AF_INET6 &&
	    IN6_IS_ADDR_LOOPBACK(&sin6->sin6_addr);
}

/* Splits "ADDRESS:PORT"; an address with colons is in brackets. */
static void
split(const char *tcp, char *host, size_t size, const char **port)
{
	const char *colon = strrchr(tcp, ':'), *end = colon;
	size_t len;

	if (colon == NULL || colon == tcp || colon[1] == '\0')
		errx(2, "%s: must be ADDRESS:PORT", tcp);
	*port = colon + 1;
	if (*tcp == '[') {
		tcp++;
		if (*--end != ']')
			errx(2, "[%s: must be [ADDRESS]:PORT", tcp);
	}
	len = end - tcp;
	if (len >= size || memchr(tcp, ']', len) != NULL)
		errx(2, "%s: invalid address", tcp);
	memcpy(host, tcp, len);
	host[len] = '\0';
}

int
http_listen_tcp(const char *tcp, int nonlocal)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	struct addrinfo *ai;
	const char *port;
	char host[64];
	int fd, one = 1, r;

	split(tcp, host, sizeof(host), &port);
	if ((r = getaddrinfo(host, port, &hints, &ai)) != 0)
		errx(2, "%s: %s", tcp, gai_strerror(r));
	if (!nonlocal && !is_local(ai->ai_addr))
		errx(2,
		    "%s: reachable from other machines, without a password "
		    "or encryption; use a reverse proxy, or "
		    "--expose-to-network to allow it",
		    tcp);
	fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
	    0);
	if (fd == -1)
		err(1, "socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) == -1 ||
	    listen(fd, LISTEN_QUEUE) == -1)
		err(1, "%s", tcp);
	freeaddrinfo(ai);
	return fd;
}

/* Removes the socket of an earlier dt-exporter. */
static void
unlink_socket(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
		(void)unlink(path);
}

int
http_listen_unix(const char *path, unsigned int mode)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	mode_t mask;
	int fd;

	if (strlen(path) >= sizeof(sun.sun_path))
		errx(2, "%s: too long for the path of a socket", path);
	strcpy(sun.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd == -1)
		err(1, "socket");
	unlink_socket(path);
	mask = umask(0777 & ~mode);
	if (bind(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1 ||
	    listen(fd, LISTEN_QUEUE) == -1)
		err(1, "%s", path);
	(void)umask(mask);
	return fd;
}
