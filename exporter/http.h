/* SPDX-License-Identifier: ISC */
/*
 * HTTP servers and their limits.  One request per connection; only GET and
 * HEAD of known paths.
 */
#ifndef EXPORTER_HTTP_H
#define EXPORTER_HTTP_H

#include <stddef.h>

struct MHD_Connection;

/* A reply.  All zero: status 200 with an empty plain text. */
struct http_reply {
	unsigned int hr_status; /* 0: 200 */
	const char *hr_type;	/* NULL: plain text */
	const char *hr_file;	/* suggested file name, or NULL */
	char *hr_body;		/* from malloc(3); http.c frees it */
	size_t hr_len;
};

/* A path and the function that serves it, called in any thread. */
struct http_path {
	const char *hp_path;
	void (*hp_fn)(struct MHD_Connection *, struct http_reply *);
};

/* Sets an error with a message. */
void http_error(struct http_reply *, unsigned int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the socket of a connection. */
int http_socket(struct MHD_Connection *);
/* Returns a parameter of the query, or NULL. */
const char *http_query(struct MHD_Connection *, const char *name);

/*
 * Listens; exits on failure.  tcp: "ADDRESS:PORT" or "[ADDRESS]:PORT", numeric.
 * nonlocal: allows addresses that other machines can reach.
 */
int http_listen_tcp(const char *tcp, int nonlocal);
int http_listen_unix(const char *path, unsigned int mode);

/*
 * Starts to serve a listening socket.  paths end with a NULL path.  maxconn:
 * simultaneous connections; threaded: a thread per connection, for slow pages.
 */
void http_serve(int fd, const struct http_path *paths, unsigned int maxconn,
    int threaded);
/* Waits for SIGTERM or SIGINT.  Meanwhile closes slow connections. */
void http_wait(void);
/*
 * Blocks signals; call before any thread is started.  reload: called by
 * http_wait() at SIGHUP; NULL: SIGHUP has its default action.
 */
void http_init(void (*reload)(void));

#endif /* EXPORTER_HTTP_H */
