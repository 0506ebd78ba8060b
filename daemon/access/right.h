/* SPDX-License-Identifier: ISC */
/*
 * Who may do what.  A right is a bit of dtvar.h; a command names the rights
 * of which one is needed (struct ioctl_desc), a provider the rights that its
 * probes need.
 *
 * The configuration gives rights to users, groups and everybody.  Its names are
 * looked up when it is read, so that an open waits for no name service.  All
 * functions are the control thread's.
 */
#ifndef DAEMON_ACCESS_RIGHT_H
#define DAEMON_ACCESS_RIGHT_H

#include <stddef.h>
#include <sys/types.h>

#include "daemon/access/peer.h"

struct inspect_client;

/*
 * The table, made anew: begin an empty one, fill it, and use it from now on, or
 * throw it away.  Beside what the table says, group dt has TRACE_ALL and group
 * dt-stats STATS, where there are such groups, and everybody LIST.
 */
void right_begin(void);
/*
 * Adds "RIGHT[,RIGHT...] to user|group NAME|NUMBER" or "... to everybody".  -1:
 * why says what is wrong, as "N: text", the N-th character of value (from 1).
 */
int right_allow(const char *value, char *why, size_t len);
void right_commit(void);
void right_abort(void);

/* What the table gives to a user in these groups; without SO_PEERCRED. */
unsigned int
right_find(uid_t uid, const gid_t *gids, size_t ngids, int own_userns);

/*
 * Fills pr_rights and what belongs to them: uid 0 of the daemon's own user
 * namespace has all; others what the table says, those of another user
 * namespace what it says to everybody; the one client of a private daemon, of
 * which no inspector has told (ic NULL), has all, whoever it is, since the daemon
 * can do no more than its client.  An errno: the peer has gone, or there is no
 * memory.
 */
int right_grant(struct peer *, int sock, int own_userns,
    const struct inspect_client *ic);

/*
 * Whether the peer has one of these rights.  If not, EPERM: the text says which
 * are missing, and why one that was given out is not there; it is counted.  what
 * (may be NULL): what needs them.
 */
int right_check(const struct peer *, unsigned int rights, const char *what,
    char *text);

#endif /* DAEMON_ACCESS_RIGHT_H */
