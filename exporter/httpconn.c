/* SPDX-License-Identifier: ISC */
/*
 * Limits the number of connections and their duration.  Slow connections are
 * shut down here; libmicrohttpd then closes them.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "common/clock.h"
#include "exporter/httpconn.h"

enum conn_state {
	CONN_FREE,
	CONN_REQUEST,
	CONN_WORK,
	CONN_REPLY,
};

/* Unused fields of a family are zero. */
struct conn_peer {
	uint32_t cp_family;
	uint32_t cp_uid;
	uint8_t cp_addr[8];
};

struct conn {
	enum conn_state cn_state;
	int cn_fd;
	const unsigned int *cn_max; /* of its server */
	struct conn_peer cn_peer;
	uint64_t cn_nth; /* number of earlier connections */
	time_t cn_until; /* deadline, unless CONN_WORK */
};

static pthread_mutex_t conn_mtx = PTHREAD_MUTEX_INITIALIZER;
static struct conn conns[HTTPCONN_MAX]; /* [conn_mtx] */
static uint64_t nconns;			/* [conn_mtx] connections so far */

/* An IPv4 client may have an IPv6 address. */
static void
peer_inet6(struct conn_peer *cp, const struct in6_addr *addr)
{
	if (IN6_IS_ADDR_V4MAPPED(addr)) {
		cp->cp_family = AF_INET;
		memcpy(cp->cp_addr, addr->s6_addr + 12, 4);
	} else
		memcpy(cp->cp_addr, addr->s6_addr, sizeof(cp->cp_addr));
}

/* Unknown peers are all zeros, and thus one peer. */
static void
peer_get(struct conn_peer *cp, int fd)
{
	union {
		struct sockaddr sa;
		struct sockaddr_in sin;
		struct sockaddr_in6 sin6;
		struct sockaddr_storage ss;
	} u = { .sa.sa_family = AF_UNSPEC };
	socklen_t len = sizeof(u), crlen = sizeof(struct ucred);
	struct ucred cr;

	memset(cp, 0, sizeof(*cp));
	if (getpeername(fd, &u.sa, &len) == -1)
		return;
	cp->cp_family = u.sa.sa_family;
	if (cp->cp_family == AF_INET)
		memcpy(cp->cp_addr, &u.sin.sin_addr, 4);
	else if (cp->cp_family == AF_INET6)
		peer_inet6(cp, &u.sin6.sin6_addr);
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cr, &crlen) == 0)
		cp->cp_uid = cr.uid;
}

static struct conn *
conn_find(int fd)
{
	struct conn *co;

	for (co = conns; co < conns + HTTPCONN_MAX; co++)
		if (co->cn_state != CONN_FREE && co->cn_fd == fd)
			return co;
	return NULL;
}

static unsigned int
conn_count(const unsigned int *max, const struct conn_peer *peer)
{
	const struct conn *co;
	unsigned int n = 0;

	for (co = conns; co < conns + HTTPCONN_MAX; co++)
		n += co->cn_state != CONN_FREE && co->cn_max == max &&
		    (peer == NULL ||
			memcmp(&co->cn_peer, peer, sizeof(*peer)) == 0);
	return n;
}

static void
conn_end(struct conn *co)
{
	(void)shutdown(co->cn_fd, SHUT_RDWR);
	co->cn_state = CONN_FREE;
}

/* Closes the oldest connection of the peer with the most connections. */
static void
conn_evict(const unsigned int *max)
{
	struct conn *co, *victim = NULL;
	unsigned int n, most = 0;

	for (co = conns; co < conns + HTTPCONN_MAX; co++) {
		if (co->cn_state == CONN_FREE || co->cn_state == CONN_WORK ||
		    co->cn_max != max)
			continue;
		n = conn_count(max, &co->cn_peer);
		if (n < most || (n == most && co->cn_nth > victim->cn_nth))
			continue;
		victim = co;
		most = n;
	}
	if (victim != NULL)
		conn_end(victim);
}

void
httpconn_open(const unsigned int *max, int fd)
{
	struct conn *co;

	pthread_mutex_lock(&conn_mtx);
	if (conn_count(max, NULL) >= *max)
		conn_evict(max);
	for (co = conns; co < conns + HTTPCONN_MAX; co++)
		if (co->cn_state == CONN_FREE) {
			*co = (struct conn){ .cn_state = CONN_REQUEST,
				.cn_fd = fd,
				.cn_max = max,
				.cn_nth = nconns++,
				.cn_until = clock_secs() + HTTPCONN_REQUEST };
			peer_get(&co->cn_peer, fd);
			break;
		}
	pthread_mutex_unlock(&conn_mtx);
}

static void
conn_become(int fd, enum conn_state state)
{
	struct conn *co;

	pthread_mutex_lock(&conn_mtx);
	if ((co = conn_find(fd)) != NULL) {
		co->cn_state = state;
		co->cn_until = clock_secs() + HTTPCONN_REPLY;
	}
	pthread_mutex_unlock(&conn_mtx);
}

void
httpconn_work(int fd)
{
	conn_become(fd, CONN_WORK);
}

void
httpconn_reply(int fd)
{
	conn_become(fd, CONN_REPLY);
}

void
httpconn_close(int fd)
{
	conn_become(fd, CONN_FREE);
}

int
httpconn_sweep(void)
{
	struct conn *co;
	time_t t = clock_secs();
	int left = 0;

	pthread_mutex_lock(&conn_mtx);
	for (co = conns; co < conns + HTTPCONN_MAX; co++) {
		if (co->cn_state != CONN_FREE && co->cn_state != CONN_WORK &&
		    co->cn_until <= t)
			conn_end(co);
		left |= co->cn_state != CONN_FREE;
	}
	pthread_mutex_unlock(&conn_mtx);
	return left;
}
