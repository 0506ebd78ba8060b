/* SPDX-License-Identifier: ISC */
/* Listening sockets: a node in the socket folder for each device. */
#ifndef DAEMON_SERVER_H
#define DAEMON_SERVER_H

/* Listens for all devices in conf.cf_directory.  Ends the program if it
 * cannot. */
void server_start(void);
/* Takes the nodes away. */
void server_stop(void);

#endif /* DAEMON_SERVER_H */
