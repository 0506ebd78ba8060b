/* SPDX-License-Identifier: ISC */
/* Connections: one is an open file of a device, its end is close(2). */
#ifndef DAEMON_SERVER_CONN_H
#define DAEMON_SERVER_CONN_H

struct cdevsw;

/*
 * Takes over a connected socket, whose peer may open dev.  private: it is the
 * one client of a private daemon, which ends with it.  When it fails, the peer
 * has been told, and the socket is closed.  Control thread.
 */
int conn_alloc(int sock, const struct cdevsw *dev, int private);
/* Takes over a connected socket that cannot be served, and tells its peer. */
void conn_turn_away(int sock, int error);
/* An open has ended: tries those again that waited for it. */
void conn_retry(void);
/* dtd is to end: ends all connections but those whose device has something to
 * tell them yet.  Returns how many are left. */
int conn_drain(void);
/* Ends all connections, as if all clients had closed. */
void conn_closeall(void);

#endif /* DAEMON_SERVER_CONN_H */
