/* SPDX-License-Identifier: ISC */
/*
 * Communicates with the service manager.  Does nothing if there is none.
 * Control thread.
 */
#ifndef DAEMON_SERVER_SERVICE_H
#define DAEMON_SERVER_SERVICE_H

/* To be called before threads are started and messages are logged. */
void service_init(void);
/* Reports that clients are served; starts feeding the watchdog. */
void service_ready(void);
/* Reports the number of sessions. */
void service_opens(int n);
/* Reads the owners of subordinate user ids. */
void service_read_persons(void);
/* SIGHUP: reads settings and subordinate user ids again. */
void service_reload(void);
void service_stopping(void);

#endif /* DAEMON_SERVER_SERVICE_H */
