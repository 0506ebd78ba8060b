/* SPDX-License-Identifier: ISC */
/* 'dt remote', which a dt on another machine starts by ssh(1). */
#ifndef CLI_HOSTS_REMOTE_H
#define CLI_HOSTS_REMOTE_H

/*
 * Receives a command and returns in a child that has to run it.  Stores its
 * arguments, as for main(), and whether its profiles need addresses; returns the
 * descriptor for the output of dt.  The parent forwards the child's output and
 * the other dt's signals, and exits after it.
 */
int remote_begin(int *argc, char ***argv, int *isexact);

#endif /* CLI_HOSTS_REMOTE_H */
