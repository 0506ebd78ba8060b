/* SPDX-License-Identifier: ISC */
/* Drops rights of the symbolizer and sets its limits. */
#ifndef SYMBOLIZER_SANDBOX_H
#define SYMBOLIZER_SANDBOX_H

#include <sys/types.h>

/* Default user to become, unless the daemon names another. */
#define CAGE_NOBODY 65534

/*
 * Switches to this user and group if permitted and drops all other rights of
 * the process; exits if that fails.
 */
void cage_enter(uid_t, gid_t);
/* Drops the rights only: for a process that executes another program. */
void cage_drop(uid_t, gid_t);
/* The process exits after this time; 0: never. */
void cage_alarm(unsigned int msecs);

#endif /* SYMBOLIZER_SANDBOX_H */
