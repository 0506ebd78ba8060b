/* SPDX-License-Identifier: ISC */
/*
 * Creates the listening sockets, or takes those of a service manager, and
 * accepts connections.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/access/fd_reserve.h"
#include "daemon/base/conf.h"
#include "daemon/base/event_loop.h"
#include "daemon/base/log.h"
#include "daemon/base/sdlib.h"
#include "daemon/base/timer.h"
#include "daemon/device/cdevsw.h"
#include "daemon/server/conn.h"
#include "daemon/server/server.h"

#define SERVER_MAXDEV  8
#define SERVER_BACKLOG 64
#define SERVER_FIRSTFD 3   /* SD_LISTEN_FDS_START */
#define SERVER_PAUSE   100 /* ms until the next try if accept(2) fails */

struct server {
	struct event_source sv_ev; /* first: ev is server */
	const struct cdevsw *sv_dev;
	struct sockaddr_un sv_addr;
	int sv_isgiven; /* owned by a service manager */
};

static struct server servers[SERVER_MAXDEV];
static int nserver;

/*
 * If descriptors run out, waiting clients would wake this thread continuously.
 * The spare descriptor is closed to accept a client and send it the error.  If
 * that fails as well, the sockets are not polled for a while.
 */
static int server_spare = -1;
static int server_lacking; /* it is logged already */
static struct timer server_timer;

/* Polls the sockets, or stops that. */
static void
server_listen_all(int on)
{
	int i;

	for (i = 0; i < nserver; i++)
		(void)event_loop_mod(&servers[i].sv_ev, on ? EPOLLIN : 0);
}

static void
server_spare_open(void)
{
	if (server_spare == -1)
		server_spare = open("/", O_PATH | O_CLOEXEC);
}

static void
server_resume(void)
{
	server_spare_open();
	server_listen_all(1);
}

/* Handles an error of accept(2). */
static void
server_lack(struct server *sv, int error)
{
	int sock = -1;

	if (!server_lacking++)
		log_warnx("%s: accept: %s", sv->sv_addr.sun_path,
		    strerror(error));
	if ((error == EMFILE || error == ENFILE) && server_spare != -1) {
		close(server_spare);
		server_spare = -1;
		sock = accept4(sv->sv_ev.es_fd, NULL, NULL, SOCK_CLOEXEC);
		if (sock != -1)
			conn_turn_away(sock, error);
		server_spare_open();
	}
	if (sock == -1 || server_spare == -1) {
		timer_start(&server_timer, SERVER_PAUSE * TIMER_MSEC);
		server_listen_all(0);
	}
}

static void
server_accept(struct event_source *ev, uint32_t events __attribute__((unused)))
{
	struct server *sv = (struct server *)ev;
	int sock, error;

	/* accept for root, too: conn_alloc() refuses other users */
	fd_reserve_root_begin();
	sock = accept4(ev->es_fd, NULL, NULL, SOCK_CLOEXEC);
	error = sock == -1 ? errno : conn_alloc(sock, sv->sv_dev, 0);
	fd_reserve_root_end();
	if (sock == -1) {
		if (error != EAGAIN && error != EINTR && error != ECONNABORTED)
			server_lack(sv, error);
		return;
	}
	server_lacking = 0;
	if (error != 0)
		log_info("%s: refused a client: %s", sv->sv_addr.sun_path,
		    strerror(error));
}

/* Returns whether a daemon listens; a dead one leaves its node. */
static int
server_alive(const struct sockaddr_un *sun)
{
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r;

	if (sock == -1)
		fatal("socket");
	r = connect(sock, (const struct sockaddr *)sun, sizeof(*sun));
	close(sock);
	return r == 0;
}

/* Begins to accept clients. */
static void
server_add(struct server *sv, const struct cdevsw *dev)
{
	int error;

	sv->sv_dev = dev;
	sv->sv_ev.es_cb = server_accept;
	if ((error = event_loop_add(&sv->sv_ev, EPOLLIN)) != 0)
		fatalx("%s: %s", sv->sv_addr.sun_path, strerror(error));
	nserver++;
	log_info("listening at %s", sv->sv_addr.sun_path);
}

static int
is_offered(const struct cdevsw *dev)
{
	return dev->d_open != NULL &&
	    (conf.cf_testdev || strcmp(dev->d_name, "test") != 0);
}

static void
server_listen(const struct cdevsw *dev)
{
	struct server *sv = &servers[nserver];
	struct sockaddr_un *sun = &sv->sv_addr;
	struct stat st;
	int n;

	sun->sun_family = AF_UNIX;
	n = snprintf(sun->sun_path, sizeof(sun->sun_path), "%s/%s",
	    conf.cf_directory, dev->d_name);
	if (n < 0 || (size_t)n >= sizeof(sun->sun_path))
		fatalx("%s/%s: path is too long", conf.cf_directory,
		    dev->d_name);
	if (server_alive(sun))
		fatalx("%s: another dtd listens on it", sun->sun_path);
	if (lstat(sun->sun_path, &st) == 0 && !S_ISSOCK(st.st_mode))
		fatalx("%s: exists and is not a socket", sun->sun_path);
	if (unlink(sun->sun_path) == -1 && errno != ENOENT)
		fatal("%s", sun->sun_path);
	sv->sv_ev.es_fd = socket(AF_UNIX,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sv->sv_ev.es_fd == -1 ||
	    bind(sv->sv_ev.es_fd, (struct sockaddr *)sun, sizeof(*sun)) == -1)
		fatal("%s", sun->sun_path);
	/* all users may connect; rights are checked later */
	if (chmod(sun->sun_path, 0666) == -1 ||
	    listen(sv->sv_ev.es_fd, SERVER_BACKLOG) == -1)
		fatal("%s", sun->sun_path);
	server_add(sv, dev);
}

static const struct cdevsw *
server_device(const char *name)
{
	int i;

	for (i = 0; devices[i] != NULL; i++)
		if (is_offered(devices[i]) &&
		    strcmp(devices[i]->d_name, name) == 0)
			return devices[i];
	return NULL;
}

/*
 * Takes a socket of the service manager.  The name of its node, or else the
 * name that the manager gave it, is the device's.
 */
static void
server_adopt(const struct sdlib *sd, int fd, const char *name)
{
	struct server *sv = &servers[nserver];
	struct sockaddr_un *sun = &sv->sv_addr;
	socklen_t len = sizeof(*sun) - 1; /* a path may lack the NUL */
	const struct cdevsw *dev = NULL;
	const char *slash;

	if (nserver == SERVER_MAXDEV ||
	    sd->sl_is_socket_unix(fd, SOCK_STREAM, 1, NULL, 0) <= 0)
		fatalx("descriptor %d (%s) of the service manager is not a "
		       "socket for dtd to listen on",
		    fd, name);
	if (getsockname(fd, (struct sockaddr *)sun, &len) == -1 ||
	    fcntl(fd, F_SETFL, O_NONBLOCK) == -1)
		fatal("descriptor %d (%s) of the service manager", fd, name);
	if ((slash = strrchr(sun->sun_path, '/')) != NULL)
		dev = server_device(slash + 1);
	if (dev == NULL && (dev = server_device(name)) == NULL)
		fatalx("socket %s (%s) of the service manager: this dtd has no "
		       "such device",
		    sun->sun_path, name);
	sv->sv_ev.es_fd = fd;
	sv->sv_isgiven = 1;
	server_add(sv, dev);
}

/* Returns the number of passed sockets. */
static int
server_adopt_all(void)
{
	const struct sdlib *sd = sdlib();
	char **names = NULL;
	int i, n;

	if (sd == NULL)
		return 0;
	if ((n = sd->sl_listen_fds(1, &names)) < 0)
		fatalx("sockets of the service manager: %s", strerror(-n));
	for (i = 0; i < n; i++) {
		server_adopt(sd, SERVER_FIRSTFD + i, names[i]);
		free(names[i]);
	}
	free(names);
	return n;
}

void
server_start(void)
{
	int i;

	server_spare_open();
	if ((errno = timer_init(&server_timer, server_resume)) != 0)
		fatal("timerfd");
	if (server_adopt_all() > 0)
		return;
	if (mkdir(conf.cf_directory, 0755) == -1 && errno != EEXIST)
		fatal("%s", conf.cf_directory);
	for (i = 0; devices[i] != NULL; i++)
		continue;
	/* dt is last: a client that waits for it finds all others */
	while (--i >= 0)
		if (is_offered(devices[i]))
			server_listen(devices[i]);
}

void
server_stop(void)
{
	while (nserver > 0) {
		struct server *sv = &servers[--nserver];

		event_loop_del(&sv->sv_ev);
		close(sv->sv_ev.es_fd);
		if (!sv->sv_isgiven)
			unlink(sv->sv_addr.sun_path);
	}
}
