/* SPDX-License-Identifier: ISC */
/*
 * HTTP, by libmicrohttpd: who listens, and limits for whoever comes.  One request
 * a connection; GET and HEAD of known paths, and nothing else.
 */
#ifndef EXPORTER_HTTP_H
#define EXPORTER_HTTP_H

#include <stddef.h>

struct MHD_Connection;

/* What is to be sent.  All zero at first: an empty 200 of plain text. */
struct http_reply {
	unsigned int hr_status; /* 0: 200 */
	const char *hr_type;	/* NULL: plain text */
	const char *hr_file;	/* what it is to be saved as, or NULL */
	char *hr_body;		/* malloc(3)ed, becomes http.c's */
	size_t hr_len;
};

/* What a path is served by; may be called by several threads. */
struct http_path {
	const char *hp_path;
	void (*hp_fn)(struct MHD_Connection *, struct http_reply *);
};

/* An error with a line of text. */
void http_error(struct http_reply *, unsigned int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The socket of a connection. */
int http_socket(struct MHD_Connection *);
/* A parameter of the query, or NULL. */
const char *http_query(struct MHD_Connection *, const char *name);

/*
 * Listen; they end the program if that fails.  tcp: "ADDRESS:PORT" or
 * "[ADDRESS]:PORT", numbers; nonlocal: also where other machines reach it.
 */
int http_listen_tcp(const char *tcp, int nonlocal);
int http_listen_unix(const char *path, unsigned int mode);

/*
 * Serves a listening socket from now on.  paths end with one that is NULL.
 * maxconn: connections at once; a thread each if the paths take their time.
 */
void http_serve(int fd, const struct http_path *paths, unsigned int maxconn,
    int threaded);
/* Waits for the end: SIGTERM, SIGINT.  Closes connections that last too long. */
void http_wait(void);
/* Before there are threads. */
void http_init(void);

#endif /* EXPORTER_HTTP_H */
