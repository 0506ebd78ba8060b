/* SPDX-License-Identifier: ISC */
/* The main loop of a session, for session.c. */
#ifndef CLI_SESSION_SESSION_LOOP_H
#define CLI_SESSION_SESSION_LOOP_H

#include "cli/session/session.h"

/* Runs until an event, a signal, a limit or a failure ends the session. */
void session_loop(struct session *);
/*
 * Stops the recording and reads the rest of the rings.  Handles signals, as the
 * output may block.
 */
void session_drain(struct session *);
/* Ends an interval. */
void session_interval(struct session *, uint64_t now);
/*
 * Handles a new signal: with a command, the first one is left to the command.
 */
void session_signal(struct session *);

#endif /* CLI_SESSION_SESSION_LOOP_H */
