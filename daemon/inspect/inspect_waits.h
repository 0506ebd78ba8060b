/* SPDX-License-Identifier: ISC */
/*
 * Counts how long inspectors waited for each user's processes and files.  A
 * file system that replies slowly, but within the limit, would otherwise delay
 * all others without any inspector being stuck.  Under the lock of inspect.c.
 */
#ifndef DAEMON_INSPECT_INSPECT_WAITS_H
#define DAEMON_INSPECT_INSPECT_WAITS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Adds the wait of a request for the user; now is CLOCK_MONOTONIC, ns. */
void waits_add(uid_t, int64_t msecs, int64_t now);
/* Returns whether the user has exceeded INSPECT_USERWAIT in the last 10 s. */
int waits_too_long(uid_t, int64_t now);
/* Lists such users, at most max.  Returns how many. */
size_t waits_users(uid_t *, size_t max, int64_t now);

#endif /* DAEMON_INSPECT_INSPECT_WAITS_H */
