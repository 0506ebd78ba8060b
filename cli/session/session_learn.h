/* SPDX-License-Identifier: ISC */
/* Passes the probes of a session to the keys that use their arguments. */
#ifndef CLI_SESSION_SESSION_LEARN_H
#define CLI_SESSION_SESSION_LEARN_H

#include "cli/session/session.h"

struct keys;

/*
 * Passes the probes of a pattern to keys; session_enable() reports a pattern
 * without probes, and clocks have no arguments.
 */
void session_learn(struct session *, struct keys *, const char *pattern);

#endif /* CLI_SESSION_SESSION_LEARN_H */
