/* SPDX-License-Identifier: ISC */
/* Sets the name of a forked process. */
#ifndef DAEMON_BASE_PROCTITLE_H
#define DAEMON_BASE_PROCTITLE_H

/*
 * Sets the arguments and the command (15 characters) that ps(1) shows.  argv
 * must come from main() and is overwritten.
 */
void proctitle(char **argv, const char *title, const char *comm);

#endif /* DAEMON_BASE_PROCTITLE_H */
