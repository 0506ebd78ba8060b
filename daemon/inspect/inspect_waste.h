/* SPDX-License-Identifier: ISC */
/*
 * For how long inspectors had to wait for each user's processes and files.  A
 * file system that answers late, but not too late, would otherwise keep all
 * others waiting without any inspector being stuck.  Under the lock of
 * inspect.c.
 */
#ifndef DAEMON_INSPECT_INSPECT_WASTE_H
#define DAEMON_INSPECT_INSPECT_WASTE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* An ask about the user had to wait for so many ms; now is CLOCK_MONOTONIC, ns. */
void waste_add(uid_t, int64_t msecs, int64_t now);
/* Whether the user has wasted INSPECT_WASTE in the last 10 s. */
int waste_is_over(uid_t, int64_t now);
/* Those users, at most max: how many. */
size_t waste_users(uid_t *, size_t max, int64_t now);

#endif /* DAEMON_INSPECT_INSPECT_WASTE_H */
