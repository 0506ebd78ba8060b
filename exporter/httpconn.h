/* SPDX-License-Identifier: ISC */
/*
 * Connections of the HTTP servers, so that slow clients do not keep others out.
 * A client has HTTPCONN_REQUEST seconds to send its request and HTTPCONN_REPLY
 * seconds to read the reply.  A server that has too many connections closes one:
 * the oldest of the peer that has most of them.  A peer is a user id on a UNIX
 * socket, an IPv4 address, or an IPv6 network of 64 bits.  All functions may be
 * called by any thread.
 */
#ifndef EXPORTER_HTTPCONN_H
#define EXPORTER_HTTPCONN_H

#define HTTPCONN_MAX	 64 /* of all servers */
#define HTTPCONN_REQUEST 15 /* s */
#define HTTPCONN_REPLY	 60 /* s */

/* What a server allows; its address identifies the server. */
struct httpconn_limit {
	unsigned int hl_max; /* connections */
};

/* A client has connected.  The descriptor stays the caller's. */
void httpconn_open(const struct httpconn_limit *, int fd);
/* The request is complete: the connection is not closed while its reply is made. */
void httpconn_work(int fd);
/* The reply is being sent. */
void httpconn_reply(int fd);
/* Before the descriptor is closed. */
void httpconn_close(int fd);
/* Shuts connections down that are too slow.  Returns whether there are others. */
int httpconn_sweep(void);

#endif /* EXPORTER_HTTPCONN_H */
