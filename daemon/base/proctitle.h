/* SPDX-License-Identifier: ISC */
/* The name of a forked process. */
#ifndef DAEMON_BASE_PROCTITLE_H
#define DAEMON_BASE_PROCTITLE_H

/* What ps(1) shows as the arguments, and as the command (15 characters). argv is
 * that of main(), and overwritten. */
void proctitle(char **argv, const char *title, const char *comm);

#endif /* DAEMON_BASE_PROCTITLE_H */
