/* SPDX-License-Identifier: ISC */
/*
 * Listening sockets: a node in the socket folder for each device, made here, or
 * by a service manager that has handed them over.
 */
#ifndef DAEMON_SERVER_SERVER_H
#define DAEMON_SERVER_SERVER_H

/* Listens at the sockets that were handed over; if there are none, for all
 * devices in conf.cf_directory.  Ends the program if it cannot. */
void server_start(void);
/* Listens no more, and takes those nodes away that it has made: at the others
 * clients wait for the next dtd. */
void server_stop(void);

#endif /* DAEMON_SERVER_SERVER_H */
