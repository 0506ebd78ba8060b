/* SPDX-License-Identifier: ISC */
/* The loop of a session, for session.c. */
#ifndef CLI_SESSION_SESSION_LOOP_H
#define CLI_SESSION_SESSION_LOOP_H

#include "cli/session/session.h"

/* CLOCK_MONOTONIC, ns */
uint64_t session_now(void);
/* Until something ends it. */
void session_loop(struct session *);
/* Stops, and reads what the rings hold still.  Signals are let in, as the
 * output may stand still. */
void session_drain(struct session *);
/* The end of an interval. */
void session_interval(struct session *, uint64_t now);
/* A new signal: with a command, the first is its affair. */
void session_signal(struct session *);

#endif /* CLI_SESSION_SESSION_LOOP_H */
