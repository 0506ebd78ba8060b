/* SPDX-License-Identifier: ISC */
/*
 * Signals: SIGINT, SIGTERM and SIGHUP end a run; SIGUSR1 requests to save the
 * events recorded so far.  They are blocked except while sigs_poll() or
 * sigs_wait_writable() waits, so no other call is interrupted or returns EINTR.
 */
#ifndef CLI_BASE_SIGS_H
#define CLI_BASE_SIGS_H

#include <poll.h>
#include <signal.h>
#include <stdint.h>

/*
 * Until sigs_init(), the signals end dt with a message that the recording has
 * not begun.
 */
void sigs_early(void);
/*
 * Blocks SIGUSR1 until sigs_init() installs its handler.  Without this call,
 * the disposition of SIGUSR1 is unchanged.
 */
void sigs_hold(void);
/*
 * Installs the handlers.  After `last` of these signals, the next one has its
 * default action, so that repeated Ctrl-C ends dt.
 */
void sigs_init(int last);
/* Restores the original dispositions and mask, for a command that dt runs. */
void sigs_restore(void);
/*
 * Returns the number of signals received; *signo is the latest, *byprocess
 * whether a process sent it (and so the terminal did not send it to our command
 * as well).  Delivers pending signals first.
 */
int sigs_count(int *signo, int *byprocess);
/* Returns the number of SIGUSR1 as of the last sigs_count(). */
int sigs_saves(void);
/* ppoll(2); returns -1 with EINTR when a signal arrives. */
int sigs_poll(struct pollfd *, unsigned int, int64_t nsecs);
/* Waits until fd accepts PIPE_BUF bytes or fails. */
void sigs_wait_writable(int fd);
/*
 * While sigs_wait_writable() waits, calls fn when fd is readable; after it has
 * returned 0, no more during this wait.  fd -1: no longer.
 */
void sigs_meanwhile(int fd, int (*fn)(void *), void *arg);
/* Ends dt by this signal, so that the shell sees it. */
void sigs_die(int signo) __attribute__((noreturn));

#endif /* CLI_BASE_SIGS_H */
