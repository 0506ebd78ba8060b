/* SPDX-License-Identifier: ISC */
/* Rights and limits of the worker. */
#ifndef SYMBOLIZER_SANDBOX_H
#define SYMBOLIZER_SANDBOX_H

#include <sys/types.h>

/* The user that programs become, unless the daemon names another. */
#define CAGE_NOBODY 65534

/* Becomes this user and group if permitted, and drops every other right of the
 * worker; ends it if that fails. */
void cage_enter(uid_t, gid_t);
/* The rights alone: for what becomes another program. */
void cage_drop(uid_t, gid_t);
/* The worker ends by itself after this time; 0: never. */
void cage_alarm(unsigned int msecs);

#endif /* SYMBOLIZER_SANDBOX_H */
