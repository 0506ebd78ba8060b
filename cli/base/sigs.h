/* SPDX-License-Identifier: ISC */
/*
 * The signals that end a run: SIGINT, SIGTERM, SIGHUP; and SIGUSR1, which asks
 * for what was recorded so far, and ends nothing.  They are blocked but while sigs_poll() or sigs_wait_writable() waits, so no other call has to
 * expect EINTR, and none is interrupted half way.
 */
#ifndef CLI_BASE_SIGS_H
#define CLI_BASE_SIGS_H

#include <poll.h>
#include <signal.h>
#include <stdint.h>

/* SIGUSR1 shall be handled, by sigs_init(): until then it waits.  Without
 * this, it is left as it is. */
void sigs_hold(void);
/* Installs the handlers.  When `last` of these signals have come, the next
 * has its default action: who presses Ctrl-C for long enough gets out. */
void sigs_init(int last);
/* What a command that we run shall find: everything as we found it. */
void sigs_restore(void);
/* How many came; *signo is the latest, *byprocess whether a process sent it
 * (then a command of ours has not got it from the terminal).  Signals that
 * wait are let in first. */
int sigs_count(int *signo, int *byprocess);
/* How many SIGUSR1 came, as of the last sigs_count(). */
int sigs_saves(void);
/* ppoll(2); returns -1 with EINTR when a signal came. */
int sigs_poll(struct pollfd *, unsigned int, int64_t nsecs);
/* Waits until fd takes PIPE_BUF bytes, or is broken. */
void sigs_wait_writable(int fd);
/* Ends as by this signal, for the shell to see. */
void sigs_die(int signo) __attribute__((noreturn));

#endif /* CLI_BASE_SIGS_H */
