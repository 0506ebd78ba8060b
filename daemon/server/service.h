/* SPDX-License-Identifier: ISC */
/*
 * What dtd and the service manager say to each other.  All of it is nothing
 * where there is none.  Control thread.
 */
#ifndef DAEMON_SERVER_SERVICE_H
#define DAEMON_SERVER_SERVICE_H

/* Before there are threads, and before the first message that matters. */
void service_init(void);
/* All is up, clients are served: from now on the watchdog is fed. */
void service_ready(void);
/* There are so many opens now. */
void service_opens(int n);
/* Reads who has which subordinate user ids. */
void service_read_persons(void);
/* SIGHUP: settings and subordinate user ids are read again. */
void service_reload(void);
void service_stopping(void);

#endif /* DAEMON_SERVER_SERVICE_H */
