/* SPDX-License-Identifier: ISC */
/*
 * Control connections.  A connection is an open file of a device; closing it is
 * close(2).
 */
#ifndef DAEMON_SERVER_CONN_H
#define DAEMON_SERVER_CONN_H

struct cdevsw;

/*
 * Takes over a connected socket, whose peer may open dev.  private: its peer is
 * the client of a private daemon, which exits with it.  On failure the peer has
 * received an error, and the socket is closed.  Control thread.
 */
int conn_alloc(int sock, const struct cdevsw *dev, int private);
/*
 * Takes over a connected socket that cannot be served and sends the error to
 * its peer.
 */
void conn_turn_away(int sock, int error);
/* Retries pending opens after sessions have ended. */
void conn_retry(void);
/*
 * dtd is exiting: closes all connections except those whose device has data to
 * deliver.  Returns how many are left.
 */
int conn_drain(void);
/* Closes all connections, as if all clients had closed. */
void conn_closeall(void);

#endif /* DAEMON_SERVER_CONN_H */
