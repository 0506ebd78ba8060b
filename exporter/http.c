/* SPDX-License-Identifier: ISC */
/*
 * Serves HTTP with libmicrohttpd, which parses requests in bounded memory and
 * closes silent connections; httpconn.c closes slow ones.  A connection has
 * one request.  Does not parse anything itself.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <microhttpd.h>

#include "exporter/http.h"
#include "exporter/httpconn.h"

#define HTTP_MEMORY  8192 /* bytes of a request without its body */
#define HTTP_SILENCE 5	  /* seconds of silence before a connection is closed */
#define HTTP_SPARE   8	  /* extra connections, for those being closed */
#define HTTP_MAXSERV 4

static struct MHD_Daemon *servers[HTTP_MAXSERV];
static unsigned int maxconns[HTTP_MAXSERV]; /* by server */
static int nservers;
static int signal_fd, wake_fd;
static void (*http_reload)(void);

void
http_error(struct http_reply *hr, unsigned int status, const char *fmt, ...)
{
	va_list ap;
	int n;

	free(hr->hr_body);
	*hr = (struct http_reply){ .hr_status = status };
	va_start(ap, fmt);
	n = vasprintf(&hr->hr_body, fmt, ap);
	va_end(ap);
	if (n == -1)
		hr->hr_body = NULL;
	else
		hr->hr_len = n;
}

int
http_socket(struct MHD_Connection *mc)
{
	return MHD_get_connection_info(mc, MHD_CONNECTION_INFO_CONNECTION_FD)
	    ->connect_fd;
}

const char *
http_query(struct MHD_Connection *mc, const char *name)
{
	return MHD_lookup_connection_value(mc, MHD_GET_ARGUMENT_KIND, name);
}

/*
 * Runs before libmicrohttpd closes the socket, so no other connection
 * has the descriptor yet.
 */
static void
on_connection(void *arg, struct MHD_Connection *mc, void **ctx,
    enum MHD_ConnectionNotificationCode code)
{
	uint64_t one = 1;

	(void)ctx;
	if (code != MHD_CONNECTION_NOTIFY_STARTED) {
		httpconn_close(http_socket(mc));
		return;
	}
	httpconn_open(arg, http_socket(mc));
	if (write(wake_fd, &one, sizeof(one)) == -1)
		warn("eventfd");
}

/* Requests */

static enum MHD_Result
send_reply(struct MHD_Connection *mc, struct http_reply *hr)
{
	struct MHD_Response *mr;
	enum MHD_Result r;
	char name[100];

	mr = MHD_create_response_from_buffer(hr->hr_len,
	    hr->hr_body != NULL ? hr->hr_body : "",
	    hr->hr_body != NULL ? MHD_RESPMEM_MUST_FREE
				: MHD_RESPMEM_PERSISTENT);
	if (mr == NULL) {
		free(hr->hr_body);
		return MHD_NO;
	}
	MHD_add_response_header(mr, "Content-Type",
	    hr->hr_type != NULL ? hr->hr_type : "text/plain; charset=utf-8");
	MHD_add_response_header(mr, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(mr, "Connection", "close");
	if (hr->hr_status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(mr, "Allow", "GET, HEAD");
	if (hr->hr_file != NULL) {
		snprintf(name, sizeof(name), "attachment; filename=\"%s\"",
		    hr->hr_file);
		MHD_add_response_header(mr, "Content-Disposition", name);
	}
	r = MHD_queue_response(mc,
	    hr->hr_status != 0 ? hr->hr_status : MHD_HTTP_OK, mr);
	MHD_destroy_response(mr);
	return r;
}

/* Runs when the request's header is complete; bodies are ignored. */
static enum MHD_Result
on_request(void *arg, struct MHD_Connection *mc, const char *url,
    const char *method, const char *version, const char *data, size_t *len,
    void **ctx)
{
	const struct http_path *hp = arg;
	struct http_reply hr = { .hr_status = 0 };

	(void)version;
	(void)data;
	(void)len;
	(void)ctx;
	httpconn_work(http_socket(mc));
	while (hp->hp_path != NULL && strcmp(hp->hp_path, url) != 0)
		hp++;
	if (hp->hp_path == NULL)
		http_error(&hr, MHD_HTTP_NOT_FOUND, "no such page\n");
	else if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		http_error(&hr, MHD_HTTP_METHOD_NOT_ALLOWED,
		    "only GET and HEAD are allowed\n");
	else
		hp->hp_fn(mc, &hr);
	httpconn_reply(http_socket(mc));
	return send_reply(mc, &hr);
}

/*
 * Discards log messages about invalid requests, which clients see in replies.
 */
static void
on_log(void *arg, const char *fmt, va_list ap)
{
	(void)arg;
	(void)fmt;
	(void)ap;
}

void
http_serve(int fd, const struct http_path *paths, unsigned int maxconn,
    int threaded)
{
	unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD |
	    MHD_USE_ERROR_LOG |
	    (threaded ? MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL
		      : MHD_USE_AUTO);
	struct MHD_Daemon *md;

	if (nservers == HTTP_MAXSERV)
		errx(1, "cannot serve HTTP");
	maxconns[nservers] = maxconn;
	md = MHD_start_daemon(flags, 0, NULL, NULL, on_request, (void *)paths,
	    MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL, MHD_OPTION_LISTEN_SOCKET,
	    fd, MHD_OPTION_CONNECTION_LIMIT, maxconn + HTTP_SPARE,
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)HTTP_SILENCE,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_MEMORY,
	    MHD_OPTION_NOTIFY_CONNECTION, on_connection, &maxconns[nservers],
	    MHD_OPTION_END);
	if (md == NULL)
		errx(1, "cannot serve HTTP");
	servers[nservers++] = md;
}

void
http_init(void (*reload)(void))
{
	sigset_t set;

	http_reload = reload;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	if (reload != NULL)
		sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1)
		err(1, "sigprocmask");
	signal(SIGPIPE, SIG_IGN);
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (signal_fd == -1 || wake_fd == -1)
		err(1, "signalfd, eventfd");
}

/* Handles a signal.  Returns 0 if it ends the program. */
static int
http_ishup(void)
{
	struct signalfd_siginfo si;

	if (read(signal_fd, &si, sizeof(si)) != sizeof(si) ||
	    si.ssi_signo != SIGHUP)
		return 0;
	http_reload();
	return 1;
}

void
http_wait(void)
{
	struct pollfd pfds[2] = { { .fd = signal_fd, .events = POLLIN },
		{ .fd = wake_fd, .events = POLLIN } };
	uint64_t n;

	for (;;) {
		if (poll(pfds, 2, httpconn_sweep() ? 1000 : -1) == -1 &&
		    errno != EINTR)
			err(1, "poll");
		if (pfds[0].revents != 0 && !http_ishup())
			break;
		if (pfds[1].revents != 0 &&
		    read(wake_fd, &n, sizeof(n)) == -1 && errno != EAGAIN)
			err(1, "eventfd");
	}
	while (nservers > 0)
		MHD_stop_daemon(servers[--nservers]);
}
