/* SPDX-License-Identifier: ISC */
/*
 * Listening sockets: a node per device in the socket directory, created here,
 * or by a service manager that passed the sockets to dtd.
 */
#ifndef DAEMON_SERVER_SERVER_H
#define DAEMON_SERVER_SERVER_H

/*
 * Listens on the sockets that were passed; if there are none, on sockets for
 * all devices in conf.cf_directory.  Exits on failure.
 */
void server_start(void);
/*
 * Stops listening and removes the nodes that dtd created; at others, clients
 * wait for the next dtd.
 */
void server_stop(void);

#endif /* DAEMON_SERVER_SERVER_H */
