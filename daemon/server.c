/* SPDX-License-Identifier: ISC */
/* Listening sockets, see server.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cdevsw.h"
#include "conf.h"
#include "conn.h"
#include "ev.h"
#include "log.h"
#include "server.h"

#define SERVER_MAXDEV  8
#define SERVER_BACKLOG 64

struct server {
	struct ev sv_ev; /* first: ev is server */
	const struct cdevsw *sv_dev;
	struct sockaddr_un sv_addr;
};

static struct server servers[SERVER_MAXDEV];
static int nserver;

static void
server_accept(struct ev *ev, uint32_t events __attribute__((unused)))
{
	struct server *sv = (struct server *)ev;
	int sock, error;

	sock = accept4(ev->ev_fd, NULL, NULL, SOCK_CLOEXEC);
	if (sock == -1) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			log_warn("%s: accept", sv->sv_addr.sun_path);
		return;
	}
	if ((error = conn_alloc(sock, sv->sv_dev, 0)) != 0)
		log_info("%s: refused a client: %s", sv->sv_addr.sun_path,
		    strerror(error));
}

/* Whether somebody listens there; what a dead daemon left does not count. */
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

static void
server_listen(const struct cdevsw *dev)
{
	struct server *sv = &servers[nserver];
	struct sockaddr_un *sun = &sv->sv_addr;
	struct stat st;
	int error, n;

	sv->sv_dev = dev;
	sv->sv_ev.ev_cb = server_accept;
	sun->sun_family = AF_UNIX;
	n = snprintf(sun->sun_path, sizeof(sun->sun_path), "%s/%s",
	    conf.cf_directory, dev->d_name);
	if (n < 0 || (size_t)n >= sizeof(sun->sun_path))
		fatalx("%s/%s: path is too long", conf.cf_directory,
		    dev->d_name);
	if (server_alive(sun))
		fatalx("%s: another dtd is listening there", sun->sun_path);
	if (lstat(sun->sun_path, &st) == 0 && !S_ISSOCK(st.st_mode))
		fatalx("%s: something else than a socket is there",
		    sun->sun_path);
	if (unlink(sun->sun_path) == -1 && errno != ENOENT)
		fatal("%s", sun->sun_path);
	sv->sv_ev.ev_fd = socket(AF_UNIX,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sv->sv_ev.ev_fd == -1 ||
	    bind(sv->sv_ev.ev_fd, (struct sockaddr *)sun, sizeof(*sun)) == -1)
		fatal("%s", sun->sun_path);
	/* Everybody may knock; rights decide what comes of it. */
	if (chmod(sun->sun_path, 0666) == -1 ||
	    listen(sv->sv_ev.ev_fd, SERVER_BACKLOG) == -1)
		fatal("%s", sun->sun_path);
	if ((error = ev_add(&sv->sv_ev, EPOLLIN)) != 0)
		fatalx("%s: %s", sun->sun_path, strerror(error));
	nserver++;
	log_info("listening at %s", sun->sun_path);
}

void
server_start(void)
{
	int i;

	if (mkdir(conf.cf_directory, 0755) == -1 && errno != EEXIST)
		fatal("%s", conf.cf_directory);
	for (i = 0; devices[i] != NULL; i++)
		if (devices[i]->d_open != NULL &&
		    (conf.cf_testdev || strcmp(devices[i]->d_name, "test")))
			server_listen(devices[i]);
}

void
server_stop(void)
{
	while (nserver > 0) {
		struct server *sv = &servers[--nserver];

		ev_del(&sv->sv_ev);
		close(sv->sv_ev.ev_fd);
		unlink(sv->sv_addr.sun_path);
	}
}
