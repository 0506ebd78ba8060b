/* SPDX-License-Identifier: ISC */
/*
 * Connections of the HTTP servers: keeps slow clients from using them up.  A
 * client has HTTPCONN_REQUEST seconds to send its request and HTTPCONN_REPLY
 * seconds to read the reply.  A server with too many connections closes the
 * oldest one of the peer with the most connections.  A peer is a user id on a
 * UNIX socket, an IPv4 address, or an IPv6 network of 64 bits.  All functions
 * may be called by any thread.
 */
#ifndef EXPORTER_HTTPCONN_H
#define EXPORTER_HTTPCONN_H

#define HTTPCONN_MAX	 64 /* connections of all servers */
#define HTTPCONN_REQUEST 15 /* seconds */
#define HTTPCONN_REPLY	 60 /* seconds */

/*
 * A client has connected.  The caller keeps the descriptor.  max: connections
 * of the server; its address identifies the server.
 */
void httpconn_open(const unsigned int *max, int fd);
/*
 * The request is complete.  The connection is not closed while the reply is
 * prepared.
 */
void httpconn_work(int fd);
/* The reply is being sent. */
void httpconn_reply(int fd);
/* Call before closing the descriptor. */
void httpconn_close(int fd);
/* Shuts down slow connections.  Returns whether others remain. */
int httpconn_sweep(void);

#endif /* EXPORTER_HTTPCONN_H */
